# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of hist(1) in fish: the candidates are those of the completion for bash.

set -g __hist_directory (status dirname)

function __hist_candidates
    for script in $__hist_directory/hist $__hist_directory/../../bash-completion/completions/hist
        if test -r $script
            bash $script (commandline --cut-at-cursor --current-process | string trim --left | string collect) 2>/dev/null
            return
        end
    end
end

complete --command hist --no-files --arguments '(__hist_candidates)'
