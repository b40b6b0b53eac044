#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow --list-filters as a doctor: whoever wonders why a plugin is not used finds the place, the file and the reason; the
# second run sees what has been changed since the first.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

CC=${CC:-cc}
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D

# plugin FILE [-D...]: one that may be spoilt.
plugin()
{
    file=$1
    shift
    mkdir -p "$(dirname "$work/$file")"
    $CC -std=gnu11 -fPIC -shared -I"$top_srcdir/include" "$@" -o "$work/$file" "$top_srcdir/tests/framework/bad_plugin.c"
}

plugin first/good.so
plugin second/good.so
plugin second/old.so -DABI_MAJOR=0
mkdir "$work/env"
printf 'x\n' >"$work/env/notes.txt"
printf '[pipeline]\nplugin_path = %s\n' "$work/second:$work/first" >"$work/p.ini"
TCFLOW_PLUGIN_PATH=$work/env:$work/gone
export TCFLOW_PLUGIN_PATH
tcflow --plugin-path "$work/first" -c "$work/p.ini" --list-filters >"$work/list" 2>"$work/said"
is "nothing else is said" "$(cat "$work/said")" ""
sed -n '/^Searched/,$p' "$work/list" | head -n 6 >"$work/got"
cat >"$work/expected" <<END
Searched, in this order (the first filter of a name counts):
  --plugin-path       $work/first: 1 file .so, 0 others
  TCFLOW_PLUGIN_PATH  $work/env: 0 files .so, 1 other
  TCFLOW_PLUGIN_PATH  $work/gone: folder cannot be read: No such file or directory
  plugin_path         $work/second: 2 files .so, 0 others
  plugin_path         $work/first: searched already
END
same "places, in order, with who named them" "$work/expected" "$work/got"
like "the build tree comes last" "$(tail -n 1 "$work/list")" "^  build tree +$top_builddir/(plugins|readers)/"
sed -n '/^Shadowed/,/^Searched/p' "$work/list" >"$work/got"
cat >"$work/expected" <<END
Shadowed:
  $work/second/good.so
      a filter 'good' was found before, in $work/first/good.so

Refused:
  $work/second/old.so
      built for plugin interface 0.0, but this tcflow has 1.0: the major version must be the same; build it again with the headers of this tcflow

Searched, in this order (the first filter of a name counts):
END
same "what is not used, and why" "$work/expected" "$work/got"

# Nothing is kept from one run to the next.
plugin second/old.so -DNAME='"old"'
rm "$work/first/good.so"
mkdir "$work/gone"
tcflow --plugin-path "$work/first" -c "$work/p.ini" --list-filters >"$work/list"
like "a repaired file is taken" "$(cat "$work/list")" "^  old +1.0 "
like "the shadowed one counts now" "$(grep -A 1 '^  good ' "$work/list")" "$work/second/good.so\$"
is "nothing is refused or shadowed any more" "$(grep -cE '^(Refused|Shadowed)' "$work/list")" 0
like "a folder that is there now is read" "$(cat "$work/list")" "$work/gone: 0 files"
rm -r "$work/second"
like "a folder that went away" "$(tcflow -c "$work/p.ini" --list-filters)" "plugin_path +$work/second: folder cannot be read"

# For programs.
plugin first/good.so
plugin gone/good.so
printf x >"$work/gone/x.so"
if have python3; then
    tcflow --plugin-path "$work/first" --list-filters=json >"$work/list.json"
    TCFLOW_PLUGIN_PATH=$work/first:$TCFLOW_PLUGIN_PATH
    is "JSON is of the documented form, and agrees with the rest" \
        "$(python3 "$top_srcdir/tests/framework/listed.py" "$TCFLOW" <"$work/list.json" 2>&1)" ""
    is "JSON: what was refused" "$(python3 -c 'import json, sys
for r in json.load(sys.stdin)["refused"]: print(r["name"], r["reason"])' <"$work/list.json")" \
        "x is no shared object: it does not begin as an ELF file does"
    is "JSON: what is shadowed" "$(python3 -c 'import json, sys
for r in json.load(sys.stdin)["shadowed"]: print(r["path"], r["by"])' <"$work/list.json")" \
        "$work/gone/good.so $work/first/good.so"
    is "JSON: a parameter" "$(python3 -c 'import json, sys
for f in json.load(sys.stdin)["filters"]:
    if f["name"] == "good": print(f["called"], f["needs"], f["writes"], f["parameters"])' <"$work/list.json")" \
        "slice [] [] [{'key': 'n', 'alias': None, 'type': 'int', 'direction': None, 'default': '1', 'min': None, 'max': None, 'unit': None, 'choices': None, 'help': 'x'}]"
else
    skip "JSON" "python3 is missing"
fi
if have jq; then
    is "jq: who changes times" "$(jq -r '.filters[] | select(.writes | index("time")) | .name' "$work/list.json" | xargs)" \
        "clc_backward clc_forward overhead presync skew"
    is "jq: who provides what clc_backward requires" "$(jq -r '[.filters[] | select(.name == "clc_backward").required[].name] as $want
        | .filters[] | select([.provides[].name] | any(. as $p | $want | index($p))) | .name' "$work/list.json")" "clc_forward"
fi
like "plain: what is read" "$(tcflow --list-filters=plain | tr '\t' ' ')" '^presync file input $'
like "plain: what is written" "$(tcflow --list-filters=plain | tr '\t' ' ')" '^otf2_write path output $'
like "plain: a choice" "$(tcflow --list-filters=plain | tr '\t' ' ')" '^check format enum text\|csv\|json$'
fails 2 "another form" tcflow --list-filters=xml
like "it says which there are" "$(cat "$work/.fails")" "--list-filters: .xml. is not one of text.json.plain"
done_testing
