#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What bash, zsh and fish offer when somebody types a command line of tcflow and presses the tab key.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

have bash || skip_all "bash is missing"
CC=${CC:-cc}
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D
cd "$work" || exit 1
mkdir bin run
for tool in '' -synth -calibrate -diff -report -scaling -torture; do
    [ ! -x "$top_builddir/tcflow$tool" ] || ln -s "$top_builddir/tcflow$tool" "bin/tcflow$tool"
done
PATH=$work/bin:$PATH
export PATH
: >run/traces.otf2 && : >run/notes.txt && : >run/old.sqlite && mkdir run/traces
printf '[pipeline]\nchain = first profile late\n\n[first]\nfilter = select\n[late] ; twice\nformat = csv\nfilter = check\n' >p.ini

# offers NAME LINE WORD...: just these are offered where the line ends, or at | in it.
offers()
{
    name=$1
    line=$2
    shift 2
    is "$name" "$(bash "$top_srcdir/tests/framework/completion.bash" "$top_srcdir/completions/tcflow.bash" "$line" 2>&1 | xargs)" "$*"
}

offers "options begin so" "tcflow --li" --list-filters --list-presets --list-sources
offers "options that switch something off" "tcflow --no-p" --no-pager --no-progress
options=$(bash "$top_srcdir/tests/framework/completion.bash" "$top_srcdir/completions/tcflow.bash" "tcflow -")
is "all options of --help, and no others" "$options" \
    "$(tcflow --help | sed -n '/^  /p' | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | grep -vx -- -o | sort -u | sed '/^-i$/a -o' | sort)"
offers "forms of the list" "tcflow --list-filters=" json markdown plain
offers "the form of the summary" "tcflow --summary=j" json
offers "nothing behind an option that takes no word of its own" "tcflow --summary "
offers "settings files and presets" "tcflow -c " bin causes check correct diff p.ini report run scaling top waits
offers "commands" "tcflow c" causes check correct
offers "the trace of a command" "tcflow waits run/" run/traces run/traces.otf2
offers "traces" "tcflow -i run/" run/traces run/traces.otf2
offers "traces, in the middle of a line" "tcflow -i run/| -c p.ini" run/traces run/traces.otf2
offers "filters to describe" "tcflow --describe clc" clc_backward clc_forward
offers "the pipeline to describe" "tcflow --describe pip" pipeline
offers "sections of -o" "tcflow -o clc" clc_backward. clc_forward.
offers "sections of -o that the settings have" "tcflow -c p.ini -o fi" first.
offers "keys of a filter" "tcflow -o clc_forward.d" clc_forward.decay= clc_forward.delta= clc_forward.disbelief=
offers "keys of an instance" "tcflow -c p.ini -o late.f" late.format=
offers "keys of an instance whose filter comes first" "tcflow -c p.ini -o first.fr" first.from=
offers "no keys of what isn't there" "tcflow -o nothing.f"
offers "keys of the pipeline" "tcflow -o pipeline.sl" pipeline.slice=
offers "choices" "tcflow -o check.format=" csv json text
offers "a choice" "tcflow -o check.format=j" json
offers "yes or no" "tcflow -o pipeline.verify=" no yes
offers "files for paths" "tcflow -o check.output=run/n" run/notes.txt
offers "the input" "tcflow -o pipeline.input=run/n" run/notes.txt
offers "filters of a chain" "tcflow -o pipeline.chain=clc" clc_backward clc_forward
offers "instances of a chain" "tcflow -c p.ini -o pipeline.chain=fir" first
offers "folders of plugins, behind a colon" "tcflow --plugin-path bin:r" run
offers "folders of plugins, behind =" "tcflow --plugin-path=r" run
offers "no value for a number" "tcflow -o clc_forward.gamma="
offers "a second override" "tcflow -o check.format=csv -o pas" pass.
$CC -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -DNAME='"mine"' -o run/mine.so "$top_srcdir/tests/framework/bad_plugin.c"
offers "a filter of one's own" "tcflow --plugin-path run -o mi" mine.
offers "its parameter" "tcflow --plugin-path=run -o mine." mine.n=
offers "only where its folder is named" "tcflow -o mine."
offers "settings that are wrong take nothing away" "tcflow -c run/notes.txt --plugin-path run -o pas" pass.
offers "tcflow-mpi: options, as tcflow" "tcflow-mpi --list-pre" --list-presets
offers "tcflow-synth: options" "tcflow-synth --true" --true-trace
offers "tcflow-synth: choices" "tcflow-synth --measure " both none start
offers "tcflow-synth: its folder" "tcflow-synth r" run
offers "tcflow-calibrate: options" "tcflow-calibrate --f" --force --from
offers "tcflow-calibrate: traces" "tcflow-calibrate --from run/t" run/traces run/traces.otf2
if [ -x bin/tcflow-diff ]; then
    offers "tcflow-diff: options" "tcflow-diff --re" --reference --region
    offers "tcflow diff: its options" "tcflow diff --re" --reference --region
    offers "tcflow diff: databases and traces" "tcflow diff run/" run/old.sqlite run/traces run/traces.otf2
    offers "tcflow-diff: databases and traces" "tcflow-diff a=run/" run/old.sqlite run/traces run/traces.otf2
    offers "tcflow-diff: repetitions" "tcflow-diff a=run/old.sqlite,run/o" run/old.sqlite,run/old.sqlite
    offers "tcflow-report: options" "tcflow-report --max" --max-bytes --max-rows
    offers "tcflow top: keys of a filter" "tcflow top run -o live.wi" live.window=
    offers "tcflow scaling: choices" "tcflow scaling --scaling " auto strong weak
    offers "tcflow-scaling: choices" "tcflow-scaling --scaling " auto strong weak
    offers "tcflow-scaling: databases and traces" "tcflow-scaling run/" run/old.sqlite run/traces run/traces.otf2
fi
offers "tcflow-torture: plugins" "tcflow-torture run/" run/mine.so run/traces
offers "tcflow-torture: options" "tcflow-torture --see" --seed --seeds
# Other shells ask the script for bash, and get whole words.
whole()
{
    name=$1
    shift
    is "$name" "$(bash "$top_srcdir/completions/tcflow.bash" "$@" 2>&1 | sort | xargs)" "$expected"
}
expected="--no-pager --no-progress" whole "words for other shells" tcflow --no-p
expected="clc_forward.decay= clc_forward.delta= clc_forward.disbelief=" whole "whole words" tcflow -o clc_forward.d
expected="run/traces.otf2 run/traces/" whole "folders end in a slash" tcflow waits run/
if have zsh; then
    in_zsh()
    {
        zsh -fc 'compdef() { } ; compadd() { [[ $1 != -S ]] || shift 2; shift; print -l -- "$@" }
            source $1/_tcflow; shift; words=("$@"); CURRENT=$#; _tcflow' - "$top_srcdir/completions" "$@" 2>&1 | sort | xargs
    }
    is "zsh: options" "$(in_zsh tcflow --no-p)" "--no-pager --no-progress"
    is "zsh: keys" "$(in_zsh tcflow -o clc_forward.d)" "clc_forward.decay= clc_forward.delta= clc_forward.disbelief="
    is "zsh: traces" "$(in_zsh tcflow -i run/)" "run/traces.otf2 run/traces/"
else
    skip "zsh" "zsh is not installed"
fi
if have fish; then
    in_fish()
    {
        HOME=$work fish --no-config -c "source $top_srcdir/completions/tcflow.fish; complete -C '$1'" 2>&1 | cut -f 1 | sort | xargs
    }
    is "fish: options" "$(in_fish "tcflow --no-p")" "--no-pager --no-progress"
    is "fish: keys" "$(in_fish "tcflow -o clc_forward.d")" "clc_forward.decay= clc_forward.delta= clc_forward.disbelief="
    is "fish: traces" "$(in_fish "tcflow -i run/")" "run/traces.otf2 run/traces/"
else
    skip "fish" "fish is not installed"
fi
done_testing
