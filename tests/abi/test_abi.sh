#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The plugin interface keeps its promises: plugins built for an older minor version, kept here as source with the headers
# of their time, are loaded and give what the same source gives today; and no public header has changed in a way that a
# plugin that is already built would trip over.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

CC=${CC:-cc}
here=$top_srcdir/tests/abi
trace=$top_srcdir/examples/trace/traces.otf2
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D
number()
{
    sed -n "s/^#define TCF_ABI_$1 \([0-9]*\)\$/\1/p" "$top_srcdir/include/tcflow/filter.h"
}
present=$(number MAJOR).$(number MINOR)

# build HEADERS FOLDER VERSION: the filters of that version, with these headers.
build()
{
    mkdir -p "$2"
    for source in "$here/$3"/*.c; do
        ok "$(basename "$source") of $3 builds with the headers in $(basename "$1")" $CC -std=c11 -Wall -Wextra -Werror \
            -fPIC -shared -I"$1" -o "$2/$(basename "$source" .c).so" "$source"
    done
}

# -------------------------------------------------------------------------------------------------------------- running

cat >"$work/old.ini" <<'END'
[pipeline]
chain = old_messages old_hold late
[old_messages]
format = csv
[old_hold]
size = 3MiB
markers = off
[late]
filter = old_messages
what = late
at_least = 1us
note = behind
words = x, y z
format = csv
END
build "$here/1.0" "$work/then" 1.0
build "$top_srcdir/include" "$work/now" 1.0
for when in then now; do
    ok "the filters of 1.0, built $when, run" tcflow --plugin-path "$work/$when" -c "$work/old.ini" -i "$trace" \
        -o "pipeline.verify=yes" -o "old_messages.output=$work/$when.csv" -o "old_hold.output=$work/$when.hold" \
        -o "late.output=$work/$when.late"
done
same "they find what they find today" "$work/now.csv" "$work/then.csv"
same "and with other parameters" "$work/now.late" "$work/then.late"
same "and hold the same" "$work/now.hold" "$work/then.hold"
# column NAME FILE: the sum over the rows of the first table.
column()
{
    awk -F, -v name="$1" '/^#/ || !NF { next } !n { for (i = 1; i <= NF; i++) if ($i ~ name) n = i; next }
        $1 != "locations" { exit } { sum += $n } END { print sum + 0 }' "$2"
}
if [ -s "$work/then.csv" ]; then
    # What clock_report says of this trace (README): 360 messages, 196 violations, 175 of them by messages.
    is "messages" "$(column received "$work/then.csv")" 360
    is "targets before their sources" "$(column waited "$work/then.csv")" 196
    is "messages before they were sent" "$(column received "$work/then.late")" 175
fi
if have python3; then
    is "the list tells both versions" "$(tcflow --plugin-path "$work/then" --list-filters=json |
        python3 -c 'import json, sys
data = json.load(sys.stdin)
print(data["abi"], *[f["abi"] for f in data["filters"] if f["name"] in ("old_hold", "old_messages")])')" \
        "$present 1.0 1.0"
fi

# --------------------------------------------------------------------------------------------------------------- layout

if ! have python3 || ! have readelf; then
    skip "the layout of the interface" "python3 or readelf is missing"
    done_testing
fi
layout()
{
    python3 "$here/layout.py" "$@"
}
ok "the layout of the present headers" layout "$CC" "$top_srcdir/include"
layout "$CC" "$top_srcdir/include" >"$work/layout"
for headers in "$here"/*/tcflow; do
    version=$(basename "$(dirname "$headers")")
    layout "$CC" "$here/$version" >"$work/layout-$version"
    is "what was built for $version fits" "$(layout --compare "$work/layout-$version" "$work/layout")" ""
done

# The present version. What it says has to be kept from now on; a change needs another version.
case $(printf '#include <stdint.h>\nUINTPTR_MAX\n' | $CC -E -P - | tail -n 1) in
    *18446744073709551615UL*)
        kept=$here/$present/layout
        if ok "the layout of $present is kept (CONTRIBUTING.md tells what a new version needs)" test -f "$kept"; then
            is "what was built for $present still fits" "$(layout --compare "$kept" "$work/layout")" ""
            grep -v '^#' "$kept" >"$work/kept"
            ok "nothing was added to $present: it needs a new minor version, or, as long as no tcflow with $present has been \
released, its layout written anew (CONTRIBUTING.md)" diff "$work/kept" "$work/layout"
        fi
        ;;
    *) skip "the layout of $present" "it was written for pointers of 64 bits" ;;
esac

# The comparison sees what it is there to see.
# spoilt WHAT SCRIPT PATTERN: with the headers changed by sed, this is found.
spoilt()
{
    rm -rf "$work/spoilt"
    mkdir -p "$work/spoilt/tcflow"
    cp "$top_srcdir"/include/tcflow/*.h "$work/spoilt/tcflow"
    chmod u+w "$work/spoilt/tcflow"/*
    sed -i "$2" "$work/spoilt/tcflow/filter.h" "$work/spoilt/tcflow/definitions.h"
    layout "$CC" "$work/spoilt" >"$work/layout-spoilt"
    like "found: $1" "$(layout --compare "$work/layout" "$work/layout-spoilt")" "$3"
}
spoilt "a member in the middle" 's/^    uint8_t silent; /    uint32_t more; uint8_t silent; /' '^member tcf_location.clock_offsets was: at 40, '
spoilt "a larger element of arrays" 's/^    uint8_t side; /    uint64_t more; uint8_t side; /' '^size tcf_edge was: 32; is: '
spoilt "another type" 's/^    uint32_t checking; /    int32_t checking; /' '^member tcf_self.checking was: at 76, 4 bytes, uint32_t; is: .* int32_t'
spoilt "an argument more" 's/(\*watermark)(const tcf_self \*self)/(*watermark)(const tcf_self *self, int x)/' '^member tcf_host.watermark was: '
spoilt "a bit of another value" 's/TCF_HOLDS = 32,/TCF_HOLDS = 64,/' '^enumerator TCF_HOLDS was: 32; is: 64'
spoilt "a name that went away" 's/TCF_HOLDS/TCF_KEEPS/' '^enumerator TCF_HOLDS was: 32; there is none any more'
spoilt "another number in a macro" 's/0x57464354u/0x57464355u/' '^macro TCF_MAGIC was: '
spoilt "a type of edge in between" 's/^    TCF_CLASS_P2P, /    TCF_CLASS_NEW, TCF_CLASS_P2P, /' '^enumerator TCF_CLASS_P2P was: 1; is: 2'
done_testing
