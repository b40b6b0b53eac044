# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# What bash would offer: completion.bash FILE LINE prints it, one a line, in order. `|` in LINE is the cursor (else the
# end). The words are split as readline does, at blanks and COMP_WORDBREAKS, outside of quotes.
source "$1" || exit 1
line=$2
COMP_POINT=${#line}
[[ $line != *'|'* ]] || { before=${line%%|*}; COMP_POINT=${#before}; line=${line/|/}; }
COMP_LINE=$line COMP_WORDS=() COMP_CWORD=0
word= open= begun=
for ((i = 0; i < COMP_POINT; i++)); do
    c=${line:i:1}
    if [[ -n $open ]]; then
        word+=$c
        [[ $c != "$open" ]] || open=
    elif [[ $c == [\"\'] ]]; then
        word+=$c open=$c begun=1
    elif [[ $c == [[:space:]] ]]; then
        [[ -z $begun ]] || COMP_WORDS+=("$word")
        word= begun=
    elif [[ $c == [=:] ]]; then
        [[ -z $begun || $word == *[=:] ]] || { COMP_WORDS+=("$word"); word=; }
        word+=$c begun=1
    else
        [[ $word != *[=:] || -z $begun ]] || { COMP_WORDS+=("$word"); word=; }
        word+=$c begun=1
    fi
done
COMP_WORDS+=("$word")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function=$(complete -p "${COMP_WORDS[0]##*/}" | sed -n 's/.*-F \([^ ]*\) .*/\1/p')
"$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]-}"
printf '%s\n' "${COMPREPLY[@]}" | sort
