# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# Completion of tcflow and the programs beside it for bash, with or without the package bash-completion. Those for zsh and
# fish ask this one.
#
# Nothing is known here that the programs know: options and what they take come from --help, filters, parameters and their
# values from `tcflow --list-filters=plain`, asked for with the same --plugin-path and -c, so that a filter of one's own is
# completed, too.

# The words up to the cursor, as the shell will split them: readline parts them at = and : besides. Sets tcf_words.
_tcflow_words()
{
    local line=${COMP_LINE:0:COMP_POINT} i word
    tcf_words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i -eq 0 || $line == [[:space:]]* ]]; then
            line=${line#"${line%%[![:space:]]*}"}
            tcf_words+=("")
        fi
        ((i < COMP_CWORD)) || word=$line
        line=${line#"$word"}
        tcf_words[${#tcf_words[@]} - 1]+=$word
    done
}

# The options of a program, one a line: name, a tab, what it takes.
_tcflow_options()
{
    "$1" --help 2>/dev/null | sed -nE 's/^ {2,6}(-.*)/\1/p' | while IFS= read -r line; do
        line=${line%%  *}
        taken=
        [[ $line =~ ^(.*[a-z])(\ |\[=)([^, ]+)$ && ${BASH_REMATCH[3]} != -* ]] &&
            line=${BASH_REMATCH[1]} taken=${BASH_REMATCH[3]%]}
        for name in ${line//,/ }; do
            printf '%s\t%s\n' "$name" "$taken"
        done
    done
}

# Offers what begins as $1: the words behind it.
_tcflow_offer()
{
    local begin=$1
    shift
    COMPREPLY+=($(compgen -W "$*" -- "$begin"))
}

# Files with these endings and folders, or all files where there are none.
_tcflow_files()
{
    local IFS=$'\n' begin=$1 extension
    shift
    compopt -o filenames 2>/dev/null
    for extension; do
        COMPREPLY+=($(compgen -f -X "!*.$extension" -- "$begin"))
    done
    [[ $# -eq 0 ]] || COMPREPLY+=($(compgen -d -- "$begin"))
    [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY+=($(compgen -f -- "$begin"))
}

# The commands of tcflow, and the presets.
_tcflow_commands()
{
    "$1" --help 2>/dev/null | sed -nE '/^Commands:/,/^$/ s/^  ([a-z]+) .*/\1/p'
}
_tcflow_presets()
{
    "$1" --list-presets 2>/dev/null | sed -nE 's/^  ([a-z_]+) .*/\1/p'
}

# What an option takes, by the word that --help has for it.
_tcflow_value()
{
    local begin=$1 taken=$2
    case $taken in
        TRACE) _tcflow_files "$begin" otf2 ;;
        FILE | PATH) _tcflow_files "$begin" ;;
        FOLDER | DIRS)
            local before=
            [[ $taken != DIRS || $begin != *:* ]] || before=${begin%:*}:
            compopt -o filenames 2>/dev/null
            local IFS=$'\n'
            COMPREPLY+=($(compgen -d -P "$before" -- "${begin#"$before"}"))
            ;;
        *[A-Z]*) ;; # a number, a name: anything
        *) _tcflow_offer "$begin" "${taken//|/ }" ;;
    esac
}

# Filters and parameters as the command line so far sees them.
_tcflow_list()
{
    local given=() i
    for ((i = 1; i < ${#tcf_words[@]} - 1; i++)); do
        case ${tcf_words[i]} in
            --plugin-path | -c | --config) given+=("${tcf_words[i]}" "${tcf_words[i + 1]}") ;;
            --plugin-path=* | --config=*) given+=("${tcf_words[i]}") ;;
        esac
    done
    # Quotes and ~ are for the shell; a settings file that cannot be read yet must not take everything away.
    given=("${given[@]//[\"\']/}")
    given=("${given[@]/#\~\//$HOME/}")
    "${tcf_words[0]/#\~\//$HOME/}" "${given[@]}" --list-filters=plain 2>/dev/null ||
        "${tcf_words[0]/#\~\//$HOME/}" --list-filters=plain 2>/dev/null
}

# Sections of the settings file: "section filter" a line.
_tcflow_sections()
{
    local i file=
    for ((i = 1; i < ${#tcf_words[@]} - 1; i++)); do
        case ${tcf_words[i]} in
            -c | --config) file=${tcf_words[i + 1]} ;;
            --config=*) file=${tcf_words[i]#*=} ;;
        esac
    done
    file=${file//[\"\']/}
    file=${file/#\~\//$HOME/}
    [[ -r $file ]] || return
    awk '/^\[/ { if (section != "") print section, filter; section = substr($1, 2, index($1, "]") - 2); filter = section }
        /^filter *=/ { sub(/^filter *= */, ""); filter = $1 }
        END { if (section != "") print section, filter }' "$file" 2>/dev/null
}

# -o SECTION.KEY=VALUE
_tcflow_override()
{
    local begin=$1 section=${1%%.*} key filter list name of type choices words=()
    list=$(_tcflow_list)
    if [[ $begin != *.* ]]; then
        compopt -o nospace 2>/dev/null
        while IFS=$'\t' read -r name key _; do
            words+=("$name.")
        done <<<"$list"
        while read -r name _; do
            [[ -z $name ]] || words+=("$name.")
        done < <(_tcflow_sections)
        _tcflow_offer "$begin" "${words[*]}"
        COMPREPLY=($(printf '%s\n' "${COMPREPLY[@]}" | sort -u))
        return
    fi
    filter=$section
    while read -r name of; do
        [[ $name != "$section" || $of == "$section" ]] || filter=$of
    done < <(_tcflow_sections)
    key=${begin#*.}
    while IFS=$'\t' read -r name of type choices; do
        [[ $name == "$filter" && -n $of ]] || continue
        if [[ $key != *=* ]]; then
            words+=("$section.$of=")
        elif [[ $of == "${key%%=*}" ]]; then
            if [[ -n $choices ]]; then
                _tcflow_offer "${key#*=}" "${choices//|/ }"
            elif [[ $type == input || $type == output ]]; then
                _tcflow_files "${key#*=}"
            elif [[ $filter == pipeline && $of =~ ^(chain|survey|reports)$ ]]; then
                _tcflow_offer "${key#*=}" "$(cut -f 1 <<<"$list" | sort -u | grep -vx pipeline)" \
                    "$(_tcflow_sections | cut -d ' ' -f 1 | grep -vx pipeline)"
            fi
            COMPREPLY=("${COMPREPLY[@]/#/${begin%%=*}=}")
            return
        fi
    done <<<"$list"
    [[ ${#words[@]} -eq 0 ]] || compopt -o nospace 2>/dev/null
    _tcflow_offer "$begin" "${words[*]}"
}

_tcflow()
{
    local tcf_words cur prev option taken program options name
    COMPREPLY=()
    _tcflow_words
    program=${tcf_words[0]/#\~\//$HOME/}
    cur=${tcf_words[${#tcf_words[@]} - 1]}
    prev=${tcf_words[${#tcf_words[@]} - 2]}
    [[ ${program##*/} != tcflow-mpi ]] || program=${program%-mpi} # it has the same options
    if [[ ${program##*/} == tcflow && ${#tcf_words[@]} -gt 2 && ${tcf_words[1]} == @(diff|scaling|top) ]]; then
        program+=-${tcf_words[1]} # which the command starts
    fi
    options=$(_tcflow_options "$program")

    taken=
    while IFS=$'\t' read -r name option; do
        if [[ $cur == --*=* ]]; then
            [[ $name != "${cur%%=*}" ]] || taken=$option
        elif [[ $name == "$prev" ]] && ! "$program" --help 2>/dev/null | grep -q -e "$name\[="; then
            taken=$option
        fi
    done <<<"$options"

    if [[ ${program##*/} == tcflow?(-top) && $prev == -o ]]; then
        _tcflow_override "$cur"
    elif [[ ${program##*/} == tcflow && ( $prev == --describe || $cur == --describe=* ) ]]; then
        _tcflow_offer "${cur#--describe=}" "$(_tcflow_list | cut -f 1 | sort -u)"
    elif [[ ${program##*/} == tcflow && ( $prev == -c || $prev == --config ) ]]; then
        _tcflow_files "$cur" ini
        _tcflow_offer "$cur" "$(_tcflow_presets "$program")"
    elif [[ $cur == --*=* ]]; then
        _tcflow_value "${cur#*=}" "$taken"
        COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}")
    elif [[ -n $taken ]]; then
        _tcflow_value "$cur" "$taken"
    elif [[ $cur == -* ]]; then
        _tcflow_offer "$cur" "$(cut -f 1 <<<"$options")"
    elif [[ ${program##*/} == tcflow ]]; then
        [[ ${#tcf_words[@]} -gt 2 ]] || _tcflow_offer "$cur" "$(_tcflow_commands "$program")"
        [[ ${tcf_words[1]} == -* || ( -z $cur && ${#tcf_words[@]} -le 2 ) ]] || _tcflow_files "$cur" otf2
    elif [[ ${program##*/} == tcflow-synth ]]; then
        _tcflow_value "$cur" FOLDER
    elif [[ ${program##*/} == tcflow-top ]]; then
        _tcflow_files "$cur" otf2
    elif [[ ${program##*/} == tcflow-torture ]]; then
        _tcflow_files "$cur" so
    elif [[ ${program##*/} == tcflow-@(diff|scaling) ]]; then
        _tcflow_files "${cur##*[=,]}" sqlite otf2
        COMPREPLY=("${COMPREPLY[@]/#/${cur%"${cur##*[=,]}"}}")
    fi

    # readline replaces only what stands behind the last = or :, other shells whole words.
    local seen=
    [[ -n ${tcf_whole-} ]] || seen=${cur%"${cur##*[=:]}"}
    [[ -z $seen ]] || COMPREPLY=("${COMPREPLY[@]#"$seen"}")
    [[ ${#COMPREPLY[@]} -gt 1 || -n ${COMPREPLY[0]-} ]] || COMPREPLY=()
}

# bash tcflow.bash WORD...: prints what the last word may become, one a line; for the completions of other shells.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    tcf_whole=1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
    COMP_POINT=${#COMP_LINE}
    _tcflow
    for tcf_word in "${COMPREPLY[@]}"; do
        [[ ! -d ${tcf_word#*=} || $tcf_word == */ ]] || tcf_word+=/
        printf '%s\n' "$tcf_word"
    done
    exit 0
fi
complete -F _tcflow tcflow tcflow-calibrate tcflow-diff tcflow-mpi tcflow-new-filter tcflow-report tcflow-scaling tcflow-synth tcflow-top tcflow-torture
