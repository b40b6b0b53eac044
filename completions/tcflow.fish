# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# Completion for fish: asks the one for bash, which knows nothing that the programs do not say.

set -g __tcflow_folder (path resolve (status filename) | path dirname)

function __tcflow_complete
    for script in $__tcflow_folder/tcflow.bash $__tcflow_folder/../../bash-completion/completions/tcflow
        if test -r $script
            bash $script (commandline -opc) (commandline -ct) 2>/dev/null
            return
        end
    end
end

for program in tcflow tcflow-calibrate tcflow-diff tcflow-mpi tcflow-new-filter tcflow-report tcflow-scaling tcflow-synth tcflow-top tcflow-torture
    complete -c $program -f -a '(__tcflow_complete)'
end
