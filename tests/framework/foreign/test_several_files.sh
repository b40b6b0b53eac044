#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several files of another format are one run: the lines of each file, with its name in front of its processes. Equal keys of different
# files stay apart, those of across() find each other, clocks of different files are of different machines, and clock_estimate makes one
# clock of them.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import gzip' 2>/dev/null || skip_all "python3 is not installed"
# shellcheck disable=SC2086 # words
${CC:-cc} --version >/dev/null 2>&1 || skip_all "there is no C compiler"

# A reader of lines: "process begin end name", "send process time key", "receive process time key"; keys in capitals reach other files.
cat >"$work/lines.c" <<'C'
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <tcflow/source.h>

static int lines_probe(const tcf_probe *probe)
{
    return tcf_name_ends(probe, ".lines");
}

static tcf_status lines_read(tcf_reader *self)
{
    const tcf_source_host *host = self->host;
    uint32_t locations[10], n[10] = {0};
    char text[200], name[100], word[20];
    uint64_t begin, end;
    unsigned process;
    FILE *file = fopen(self->path, "r");
    tcf_status status = file ? TCF_OK : host->fail(self, "cannot be opened");

    while (status == TCF_OK && fgets(text, sizeof text, file)) {
        if (sscanf(text, "resolution %" SCNu64, &begin) == 1) {
            status = host->resolution(self, begin);
            continue;
        }
        const int is_message = sscanf(text, "%19s %u %" SCNu64 " %99s", word, &process, &begin, name) == 4 && isalpha(word[0]);
        if (!is_message && sscanf(text, "%u %" SCNu64 " %" SCNu64 " %99s", &process, &begin, &end, name) != 4) {
            status = host->fail(self, "no line: %s", text);
            continue;
        }
        if (!n[process % 10]++)
            locations[process % 10] = host->location(self, host->process(self, process, "process"), 0, "thread", TCF_CPU_THREAD);
        const uint32_t at = locations[process % 10];
        tcf_pair_key key = tcf_key_of_text(name, strlen(name));
        if (isupper((unsigned char)name[0]))
            key = host->across(self, key);
        if (!is_message)
            status = host->call(self, at, begin, end, host->region(self, &(tcf_region_name){.name = name}));
        else
            status = word[0] == 's' ? host->send(self, at, begin, 8, 1, key) : host->receive(self, at, begin, key);
    }
    if (file)
        fclose(file);
    return status;
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "lines",
    .version = "1.0",
    .summary = "Reads lines",
    .probe = lines_probe,
    .read = lines_read,
};
C
mkdir "$work/plugins"
# shellcheck disable=SC2086 # words
ok "a reader" ${CC:-cc} -shared -fPIC -I"$top_srcdir/include" -o "$work/plugins/lines.so" "$work/lines.c"
cd "$work" || exit 1

# read_lines INPUT [OPTION...]: calls and messages into $work/printed
read_lines()
{
    events_of "$@" --plugin-path "$work/plugins"
}

printf '0 0 100 f\n1 5 90 g\nsend 0 10 a\nreceive 1 20 a\nsend 1 30 X\n' >a.lines
printf '0 1000 1100 f\n1 1005 1090 g\nsend 0 1010 a\nreceive 1 1020 a\nreceive 0 1030 X\n' >b.lines
read_lines "a.lines b.lines"
cat >expected <<'T'
call	a.lines: process	thread	0	100	f
call	a.lines: process	thread	5	90	g
call	b.lines: process	thread	1000	1100	f
call	b.lines: process	thread	1005	1090	g
message	a.lines: process	thread	10	a.lines: process	thread	20	8
message	a.lines: process	thread	30	b.lines: process	thread	1030	8
message	b.lines: process	thread	1010	b.lines: process	thread	1020	8
T
same "two files" expected printed
read_lines "  b.lines   a.lines "
same "in the other order" expected printed
cp -r a.lines 'a b.lines'
read_lines 'a b.lines'
is "a blank in the name of one file" "$(grep -c '^call' printed)" 2
mkdir one two && cp a.lines one && cp b.lines two/a.lines
read_lines "one/a.lines two/a.lines"
is "files of one name have their folders in front" "$(cut -f 2 printed | sort -u | tr '\n' ' ')" "one/a.lines: process two/a.lines: process "

is "a machine for each file" "$(tcflow -q --plugin-path plugins -i "a.lines b.lines" -o pipeline.chain=print -o print.format=json \
    -o print.definitions=yes 2>/dev/null | grep -c '"definition":"SYSTEM_TREE_NODE"')" 2

fails 2 "a file twice" "$TCFLOW" --plugin-path plugins -i "a.lines a.lines" -o pipeline.chain=pass
like "says so" "$(cat .fails)" "a\.lines is named twice"
fails 1 "a file that isn't there" "$TCFLOW" --plugin-path plugins -i "a.lines c.lines" -o pipeline.chain=pass -o pipeline.source=lines
like "says which" "$(cat .fails)" "c\.lines.*cannot be opened|c\.lines"
echo '[{"ph": "X", "ts": 1, "dur": 1, "name": "x"}]' >c.json
fails 2 "files of two formats" "$TCFLOW" --plugin-path plugins -i "a.lines c.json" -o pipeline.chain=pass
like "says which is which" "$(cat .fails)" "of one format, but .chrome. knows that of 'c\.json', and .lines. that of the files before|no reader knows the format of 'c\.json'"
printf 'resolution 1000\n0 1 2 f\n' >slow.lines
fails 1 "files with other ticks" "$TCFLOW" --plugin-path plugins -i "a.lines slow.lines" -o pipeline.chain=pass
like "says how many" "$(cat .fails)" "its clock has 1000 ticks a second, and that of .a\.lines. 1000000000"

# Two clocks, 1 ms apart, and messages both ways: the estimate makes one clock of them.
python3 - <<'P'
import random
rng = random.Random(1)
files = {"x": [], "y": []}
now = 10**6
for k in range(2000):
    now += rng.randrange(2000, 4000)
    a, b = ("x", "y") if k % 2 else ("y", "x")
    files[a].append("send 0 %d M%d" % (now + (10**6 if a == "y" else 0), k))
    files[b].append("receive 0 %d M%d" % (now + rng.randrange(500, 900) + (10**6 if b == "y" else 0), k))
for name, lines in files.items():
    open(name + ".lines", "w").write("\n".join(lines) + "\n")
P
reversed_by()
{
    tcflow -q --plugin-path plugins -i "x.lines y.lines" "$@" 2>/dev/null
}
reversed_by -o pipeline.chain=check -o check.format=json >raw.json
reversed_by -o pipeline.survey=clock_estimate -o pipeline.chain="presync check" -o check.format=json -o check.output=corrected.json >text
violations='import json, sys
t = json.load(open(sys.argv[1]))
print(t["verdict"]["rows"][0]["count"])'
is "raw clocks: messages that run backwards" "$(python3 -c "$violations" raw.json)" 1000
is "estimated clocks: none" "$(python3 -c "$violations" corrected.json)" 0
done_testing
