#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The readers of doc/writing-sources.md and of <tcflow/source.h> are built as they stand there, found, chosen, and read what they say;
# readers that break a rule are refused with the reason.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

CC=${CC:-cc}
unset TCFLOW_PLUGIN_PATH
mkdir "$work/page" "$work/header" "$work/bad"
cd "$work" || exit 1

# built FOLDER/NAME [FLAG...]: of FOLDER/NAME.c
built()
{
    built_file=$1
    shift
    $CC -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -I"$top_srcdir/include" "$@" -o "$built_file.so" "$built_file.c"
}

sed -n '/^```c$/,/^```$/p' "$top_srcdir/doc/writing-sources.md" | sed '1d;$d' >page/lines.c
ok "the page's reader builds without a warning" built page/lines
printf '1 0 100 outer\n1 10 30 inner\n0 5 9 inner\n' >run.lines
like "it is listed" "$("$TCFLOW" --plugin-path page --list-sources)" "^  lines +1\.0 +Reads lines of process, begin, end and name$"
like "it is described" "$("$TCFLOW" --plugin-path page --describe lines)" "^lines 1\.0: Reads lines"
is "it is chosen by the name of the file" "$(tcflow --plugin-path page -i run.lines -o pipeline.chain=print | sed 1,2d | sed 's/  */ /g;s/ Region.*//')" \
    "ENTER 1 0
ENTER 0 5
LEAVE 0 9
ENTER 1 10
LEAVE 1 30
LEAVE 1 100"
cp run.lines other
is "or by the settings" "$(tcflow --plugin-path page -i other -o pipeline.source=mine -o mine.source=lines -o pipeline.chain=check >/dev/null 2>&1; echo $?)" 0
like "--check says what reads it" "$(tcflow --plugin-path page -i run.lines -o pipeline.chain=pass --check)" \
    "run\.lines: event files are read by lines 1\.0 \(6 events"
tcflow --plugin-path page -q -i run.lines -o pipeline.chain=otf2_write -o otf2_write.path=archive
have otf2-print && is "otf2-print reads what it becomes" "$(otf2-print archive/traces.otf2 | grep -c '^\(ENTER\|LEAVE\) ')" 6
echo "1 7 3 back" >>run.lines
fails 1 "the end before the begin" tcflow --plugin-path page -i run.lines -o pipeline.chain=pass
like "is refused, with its line" "$(cat .fails)" "error: line 4: the call ends before it begins"
like "and the file's name" "$(cat .fails)" "while reading 'run\.lines' by the reader 'lines'"

# ----------------------------------------------------------------------------------------------------- the choice

fails 2 "a reader that isn't there" tcflow --plugin-path page -i run.lines -o pipeline.source=lins -o pipeline.chain=pass
like "the nearest one is named" "$(cat .fails)" "there is no reader 'lins'; did you mean 'lines'\? \(tcflow --list-sources"
fails 2 "a filter is no reader" tcflow -i run.lines -o pipeline.source=profile -o pipeline.chain=pass
like "says so" "$(cat .fails)" "there is no reader 'profile', but a filter of this name"
fails 2 "a reader is no filter" tcflow --plugin-path page -i run.lines -o pipeline.chain=lines
like "says so, too" "$(cat .fails)" "there is no filter 'lines', but a reader of this name"
fails 2 "parameters of a reader that isn't used" tcflow --plugin-path page -i run.lines -o pipeline.chain=pass -o lines.x=1
fails 2 "a reader cannot read a stream" tcflow --plugin-path page -i stream:x -o pipeline.source=lines -o pipeline.chain=pass
fails 1 "a file that no reader knows" tcflow --plugin-path page -i other -o pipeline.chain=pass
like "is told so" "$(cat .fails)" 'no reader of another format knows it \(tcflow --list-sources\)'
fails 2 "an unknown parameter" tcflow --plugin-path page -i run.lines -o pipeline.source=lines -o lines.colour=1 -o pipeline.chain=pass
like "is named" "$(cat .fails)" 'colour'

# ----------------------------------------------------------------------------------------- the example of the header

sed -n '/^ \*     #include <tcflow\/source.h>/,/^ \*     };/p' "$top_srcdir/include/tcflow/source.h" | sed 's/^ \*     //; s/^ \*$//' >header/lines.c
ok "the header's reader builds" built header/lines
printf '0 100 outer\n10 30 inner\n50 120 crossing\n' >crossing.lines
is "and reads" "$(tcflow --plugin-path header -q -i crossing.lines -o pipeline.chain=print -o print.order=location | sed 1,2d | sed 's/  */ /g;s/ Region.*//')" \
    "ENTER 0 0
ENTER 0 10
LEAVE 0 30
LEAVE 0 100
ENTER 1 50
LEAVE 1 120"
if have "${CXX:-c++}"; then
    printf '#include <tcflow/source.h>\nint main() { tcf_pair_key k = tcf_key_of_text("a", 1); return k.a == k.b; }\n' >header/x.cc
    ok "the header is C++, too" "${CXX:-c++}" -Wall -Wextra -Werror -fsyntax-only -I"$top_srcdir/include" header/x.cc
fi

# ------------------------------------------------------------------------------------------------------ what is refused

# spoilt NAME MEMBERS PATTERN
spoilt()
{
    printf '#include <tcflow/source.h>\nextern int elsewhere(void);\nstatic tcf_status good(tcf_reader *self)\n{\n    (void)self;\n    return TCF_OK;\n}\n%s\nTCF_SOURCE = {.head = TCF_SOURCE_HEAD, .read = good, .version = "1", .summary = "x", %s};\n' \
        "$4" "$2" >"bad/$1.c"
    $CC -std=gnu11 -Wno-override-init -shared -fPIC -I"$top_srcdir/include" -o "bad/$1.so" "bad/$1.c" || exit 1
    tcflow --plugin-path bad --list-sources | sed -n "/bad\/$1\.so/{n;p}" >reason
    like "refused: $1" "$(cat reason)" "$3"
}

spoilt unread '.name = "unread", .read = NULL' 'it has no read\(\)'
spoilt unnamed '.summary = "x"' 'its name is missing; expected a-z, 0-9 and _'
spoilt auto '.name = "auto"' "a reader cannot be called 'auto'"
spoilt old '.name = "old", .head.abi_major = 0' 'built for plugin interface 0\.0, but this tcflow has 1\.0'
spoilt magic '.name = "magic", .head.magic = 7' 'its symbol tcflow_source is no reader: magic number 0x00000007, expected 0x53464354'
spoilt size '.name = "size", .head.size = 8' 'says that its reader struct of interface 1\.0 has 8 bytes, but it must have'
spoilt parameter '.name = "parameter", .params = TCF_ROWS(bad)' 'source' \
    'static const tcf_param bad[] = {{.key = "source", .type = TCF_INT, .default_value = "1", .help = "x"}};'
spoilt missing '.name = "missing", .probe = (int (*)(const tcf_probe *))elsewhere' 'undefined symbol: elsewhere'
spoilt both '.name = "both"' 'has both tcflow_filter and tcflow_source; expected one of them' \
    'TCF_FILTER = {.head = TCF_FILTER_HEAD};'

# ------------------------------------------------------------------------------------------------ calls against the rules

# broken NAME BODY PATTERN: read() with this body ends the run so
broken()
{
    printf '#include <tcflow/source.h>\nstatic tcf_status broken_read(tcf_reader *self)\n{\n    const tcf_source_host *host = self->host;\n%s\n}\nTCF_SOURCE = {.head = TCF_SOURCE_HEAD, .name = "broken", .version = "1", .summary = "x", .read = broken_read};\n' \
        "$2" >"bad/broken.c"
    $CC -std=gnu11 -shared -fPIC -I"$top_srcdir/include" -o "bad/broken.so" "bad/broken.c" || exit 1
    fails 1 "$1" tcflow --plugin-path bad -i other -o pipeline.source=broken -o pipeline.chain=pass
    like "$1, said" "$(cat .fails)" "error: $3"
}

broken "a location that isn't there" 'return host->enter(self, 7, 0, 0);' 'region 0 is not defined'
broken "a location of no process" 'return host->location(self, 3, 0, "x", TCF_CPU_THREAD) == TCF_NONE ? TCF_ERROR : TCF_OK;' \
    'a location is of process 3, which is not defined'
broken "a failure that is passed over" 'host->location(self, 3, 0, "x", TCF_CPU_THREAD); return TCF_OK;' 'a location is of process 3'
broken "a number that a failure gave" 'uint32_t l = host->location(self, 3, 0, "x", TCF_CPU_THREAD); return host->note(self, l, 0, host->note_kind(self, "k"), "t");' \
    'a location is of process 3'
broken "a region without a name" 'tcf_region_name r = {0}; return host->region(self, &r) == TCF_NONE ? TCF_ERROR : TCF_OK;' 'a name is missing'
broken "a failure without a reason" '(void)host; return TCF_ERROR;' "the reader 'broken' has failed without a reason"
broken "a call that ends before it begins" 'tcf_region_name r = {.name = "f"}; uint32_t l = host->location(self, host->process(self, 0, "p"), 0, "x", TCF_CPU_THREAD); return host->call(self, l, 5, 4, host->region(self, &r));' \
    "a call of 'f' ends at 4, before it begins at 5"
broken "the clock behind events" 'tcf_region_name r = {.name = "f"}; uint32_t l = host->location(self, host->process(self, 0, "p"), 0, "x", TCF_CPU_THREAD); host->call(self, l, 5, 6, host->region(self, &r)); return host->resolution(self, 3);' \
    'the resolution of the clock is told behind the first event'
done_testing
