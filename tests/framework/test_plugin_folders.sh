#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A run opens the plugins that its chain names, by the names of their files, and no other file of a folder; it warns of those that
# others may change, and tells when one of them ends the process.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
chmod 755 .
trace=$top_srcdir/examples/trace/traces.otf2

# plugin FILE NAME [CODE-OF-CONSTRUCTOR [CODE-OF-SLICE]]
plugin()
{
    mkdir -p "$(dirname "$1")"
    cat >plugin.c <<END
#include <tcflow/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void ran(void)
{
    FILE *out = fopen("$work/ran", "a");
    fputs("$2\n", out);
    fclose(out);
    ${3:-}
}
static tcf_status pass_on(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    ${4:-}
    return TCF_OK;
}
TCF_FILTER = {.head = TCF_FILTER_HEAD, .name = "$2", .version = "1", .summary = "Is there", .slice = pass_on};
END
    ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o "$1" plugin.c 2>said
}
plugin plugins/mine.so mine || skip_all "no compiler"
plugin plugins/other.so other
plugin plugins/alias.so called
plugin second/mine.so mine
chmod 755 plugins plugins/*

# ran NAME EXPECTED COMMAND...: whose constructors ran
ran()
{
    ran_name=$1 ran_expected=$2
    shift 2
    : >ran
    "$@" >said 2>&1
    is "$ran_name" "$(tr '\n' ' ' <"$work/ran")" "$ran_expected"
}
ran "a chain opens its plugins" "mine " tcflow --plugin-path plugins -i "$trace" -o pipeline.chain="mine pass"
is "without a warning" "$(cat said)" ""
ran "those of tcflow need no other file" "" tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=pass
ran "of two the first" "mine " tcflow --plugin-path second:plugins -i "$trace" -o pipeline.chain=mine
ran "so does --check" "mine " tcflow --plugin-path plugins --check -i "$trace" -o pipeline.chain=mine
ran "and --describe" "other " tcflow --plugin-path plugins --describe other
ran "a name that isn't there opens nothing" "" tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=othre
like "but is guessed" "$(cat said)" "did you mean 'other'"
ran "a column that is missing opens no folder of an INI" "" tcflow -o pipeline.plugin_path=plugins -i "$trace" -o pipeline.chain=clc_backward
like "and names the filter" "$(cat said)" "put 'clc_forward' before it"
ran "the list opens all" "called mine other " tcflow --plugin-path plugins --list-filters
like "and refuses a file with another name than its filter" "$(cat said)" "its filter is called 'called'; a filter lies in a file of its name, called.so"
ran "as a chain does" "called " tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=alias
like "with the reason" "$(cat said)" "its filter is called 'called'"

cat >strange.ini <<END
[pipeline]
input = $trace
chain = pass mine
plugin_path = plugins
END
ran "plugin_path of a file" "mine " tcflow -c strange.ini
ran "is ignored on demand" "" tcflow -c strange.ini --ignore-plugin-path
like "then the filter isn't there" "$(cat said)" "there is no filter 'mine'"

chmod 777 plugins
tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=mine >said 2>&1
like "a folder that others may write to" "$(cat said)" "warning: the plugin 'plugins/mine.so' runs with your rights, and its folder can be written by everybody"
ran "is refused on demand" "" tcflow --strict --plugin-path plugins -i "$trace" -o pipeline.chain=mine
like "which says why" "$(cat said)" "its folder can be written by everybody, which --strict refuses"
ran "by --check and lists, too" "" tcflow --strict --plugin-path plugins --list-filters
like "which say it" "$(cat said)" "--strict refuses"
fails 2 "as a filter that there is none of" tcflow --strict --plugin-path plugins -i "$trace" -o pipeline.chain=mine
chmod 755 plugins
chmod 666 plugins/mine.so
tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=mine >said 2>&1
like "a file that others may write to" "$(cat said)" "warning: .* and it can be written by everybody"
tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=pass >said 2>&1
is "no matter where it isn't opened" "$(cat said)" ""
chmod 755 plugins/mine.so
ran "what nobody else may write to runs with --strict" "mine " tcflow --strict --plugin-path plugins -i "$trace" -o pipeline.chain=mine
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 plugins/mine.so
    tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=mine >said 2>&1
    like "a file of another user" "$(cat said)" "warning: .* and it belongs to another user"
    chown 0 plugins/mine.so
    chgrp 65534 plugins && chmod 775 plugins
    tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=mine >said 2>&1
    like "a folder of another group" "$(cat said)" "warning: .* its folder can be written by a group"
else
    skip "files of other users" "this takes root"
fi

# Whoever ends the process has not done the work.
if ! is_instrumented; then
    for way in "_exit(0)" "exit(0)" "_Exit(3)" "quick_exit(0)"; do
        plugin ends/ends.so ends "$way;"
        fails 1 "$way while a plugin is opened" tcflow --plugin-path ends -i "$trace" -o pipeline.chain=ends
        like "is told" "$(cat .fails)" 'a plugin has ended the process'
        plugin ends/ends.so ends "" "$way;"
        fails 1 "$way in a slice" tcflow --plugin-path ends -i "$trace" -o pipeline.chain="ends otf2_write" -o otf2_write.path=out
        like "is told, too" "$(cat .fails)" 'a plugin has ended the process'
        [ ! -e out ]
        tap $? "and nothing looks complete"
    done
else
    skip "plugins that end the process" "the sanitizers have exits of their own"
fi

# Pages show no plugin that was refused, so they are not made then.
mkdir refused
echo text >refused/bad.so
fails 1 "a page of Markdown without a plugin that was refused" tcflow --plugin-path refused --list-filters=markdown
like "it says which" "$(cat .fails)" "'bad' is missing: refused/bad.so was refused"
mkdir pages
fails 1 "nor are there man pages" tcflow --plugin-path refused --man-pages pages
done_testing
