# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the tests of the two files share that hold all results of a run, database and html_report, behind tests/support/lib.sh: the
# manners of such a file, whatever is in it. They run in $work.

trace=$top_srcdir/examples/trace/traces.otf2
cd "$work" || exit 1

# checked OPTIONS...: a run of check alone
checked()
{
    tcflow -q -i "$trace" -o pipeline.chain=check -o check.output=/dev/null "$@"
}

# mentions NAME PATTERN: the last command of `fails` said so.
mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

# without KEY LIBRARY PACKAGE: it was built without what this file needs, which is all that can be tested.
without()
{
    fails 2 "built without $2: $1 is refused" checked -o "pipeline.$1=x"
    mentions "it says what to do" "built without $2 \\(Debian: $3"
    ok "built without $2: everything else runs" checked
    skip "$1" "built without $2"
    done_testing
}

# manners KEY SUFFIX A_FILE NO_FILE FOREIGN: of pipeline.KEY, which writes A_FILE; what holds the text FOREIGN is NO_FILE.
# Leaves there/a.SUFFIX and there/b.SUFFIX.
manners()
{
    mkdir there limited
    key=$1 option=pipeline.$1 a=a.$2 b=b.$2
    ok "$3" checked -o "$option=there/$a"
    is "nothing lies beside it" "$(ls there)" "$a"
    cp "there/$a" before
    fails 2 "one that exists" checked -o "$option=there/$a"
    mentions "it says how" "$a. exists already; .overwrite = yes. allows to replace it"
    same "it is left as it was" "there/$a" before
    fails 2 "--check reports it, too" checked --check -o "$option=there/$a"
    ok "overwrite = yes" checked -o "$option=there/$a" -o pipeline.overwrite=yes
    printf '%s\n' "$5" >there/text
    fails 2 "overwrite = yes replaces nothing else" checked -o "$option=there/text" -o pipeline.overwrite=yes
    mentions "it says why" "text. exists and is $4"
    is "it is left as it was" "$(cat there/text)" "$5"
    rm there/text
    fails 2 "a report with the same output" checked -o check.output=there/c -o "$option=there/c"
    mentions "it says so" "output 'there/c' is also the $key of \\[pipeline\\]"
    fails 2 "standard output" checked -o "$option=-"
    mentions "it says why" "it needs a name, and cannot go to standard output"
    fails 2 "a device" checked -o "$option=/dev/null"
    fails 2 "a folder" checked -o "$option=there"
    fails 2 "no such folder" checked -o "$option=none/$a"
    mentions "it says why" "none/$a. cannot be created: No such file or directory"
    if [ "$(id -u)" -ne 0 ]; then
        mkdir read-only
        chmod a-w read-only
        fails 2 "a read-only folder" checked -o "$option=read-only/$a"
        mentions "it says why" 'cannot be created: Permission denied'
    else
        skip "a read-only folder" "root may write everywhere"
    fi
    if have flock; then
        : >"there/$b.incomplete"
        fails 2 "two runs that write to one name" flock "there/$b.incomplete" "$TCFLOW" -q -i "$trace" \
            -o pipeline.chain=check -o check.output=/dev/null -o "$option=there/$b"
        mentions "it says why" "$b.incomplete. is being written by another filter or run"
        ok "what is left of a run that was killed is no obstacle" checked -o "$option=there/$b"
        is "and stays" "$(ls there)" "$a
$b
$b.incomplete"
        rm "there/$b.incomplete"
    else
        skip "two runs that write to one name" "flock is not installed"
    fi

    # A file that may not grow: as on a full disk, but for one file.
    (
        trap '' XFSZ 2>/dev/null
        ulimit -f 20
        checked -o "$option=limited/$a" -o check.output=report
    ) >said 2>&1
    is "files may not grow: exit status" "$?" 1
    like "files may not grow: the message" "$(cat said)" "tcflow: error: .*cannot write to 'limited/$a.incomplete"
    is "files may not grow: nothing is left" "$(ls limited)" ""
    ok "files may not grow: the report is there" test -s report
}

# filter SOURCE NAME: a filter out of tree, as plugins/NAME.so; what the compiler says of it is in `said`.
filter()
{
    mkdir -p plugins
    ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o "plugins/$2.so" "$1" 2>said
}

# failing_filter: the filter `fails`, which does so at its end
failing_filter()
{
    cat >fails.c <<'END'
#include <tcflow/filter.h>
static tcf_status fails_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}
static tcf_status fails_end(tcf_self *self)
{
    return self->host->fail(self, "as it should");
}
TCF_FILTER = {.head = TCF_FILTER_HEAD, .name = "fails", .version = "1", .summary = "Fails at its end", .slice = fails_slice,
              .end = fails_end};
END
    filter fails.c fails
}
