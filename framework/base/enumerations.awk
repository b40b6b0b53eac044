# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Reads OTF2's headers behind the preprocessor (cc -E -P) and writes the names of their enumerations as tables of C.
#
#   enum OTF2_RegionRole_enum { OTF2_REGION_ROLE_UNKNOWN = 0, ... }  ->  REGION_ROLE: {OTF2_REGION_ROLE_UNKNOWN, "UNKNOWN"}
#
# A value's name is what follows OTF2_REGION_ROLE_; where the values of an enumeration begin otherwise (those of
# IoSeekOption with OTF2_IO_SEEK_), it is what follows the words that all of them have in common. The C compiler, not this
# script, computes the values.
function snake(camel)
{
    out = ""
    for (i = 1; i <= length(camel); i++) {
        letter = substr(camel, i, 1)
        out = out (i > 1 && letter ~ /[A-Z]/ ? "_" : "") toupper(letter)
    }
    return out
}

function common_words(values, n, prefix)
{
    prefix = values[1]
    for (i = 2; i <= n; i++)
        while (substr(values[i], 1, length(prefix)) != prefix)
            prefix = substr(prefix, 1, length(prefix) - 1)
    sub(/[^_]*$/, "", prefix)
    return prefix
}

function take(enumeration, body)
{
    gsub(/=[^,]*/, "", body)
    gsub(/[ \t]/, "", body)
    sub(/,$/, "", body)
    n = split(body, values, ",")
    name = snake(enumeration)
    prefix = "OTF2_" name "_"
    if (substr(values[1], 1, length(prefix)) != prefix)
        prefix = common_words(values, n)
    line = "static const struct value values_" tolower(name) "[] = {"
    for (i = 1; i <= n; i++)
        if (values[i] !~ /__/) # OTF2_..__DEPRECATED
            line = line "{" values[i] ", \"" substr(values[i], length(prefix) + 1) "\"}, "
    print line "};"
    at = ++count
    while (at > 1 && names[at - 1] > name) {
        names[at] = names[at - 1]
        at--
    }
    names[at] = name
}

BEGIN {
    print "/* Made by enumerations.awk of the headers of OTF2. */\n#include \"framework/base/enumerations.h\"\n"
    print "#include <otf2/OTF2_Marker.h>\n#include <otf2/otf2.h>\n"
}
{ text = text " " $0 }
END {
    while (match(text, /enum OTF2_[A-Za-z]+_enum[ \t]*\{[^}]*\}/)) {
        one = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        enumeration = one
        sub(/^enum OTF2_/, "", enumeration)
        sub(/_enum.*/, "", enumeration)
        sub(/^[^{]*\{/, "", one)
        sub(/\}$/, "", one)
        take(enumeration, one)
    }
    if (!count) {
        print "enumerations.awk: OTF2's headers hold no enumeration" >"/dev/stderr"
        exit 1
    }
    print "\nconst struct enumeration enumerations[] = {"
    for (i = 1; i <= count; i++)
        printf "    {\"%s\", values_%s, sizeof values_%s / sizeof values_%s[0], %d},\n", names[i], tolower(names[i]),
            tolower(names[i]), tolower(names[i]), names[i] ~ /_FLAG$|^RMA_SYNC_LEVEL$/
    print "};\nconst size_t n_enumerations = " count ";"
}
