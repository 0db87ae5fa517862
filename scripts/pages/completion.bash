# SPDX-License-Identifier: BSD-3-Clause
# Walks through the words before the cursor to the subcommand that they name.
_syncline() {
    local syncline_commands syncline_arguments syncline_options syncline_valued syncline_values
    local path=${COMP_WORDS[0]##*/} word previous= i
    path=${path%.syncline}
    _syncline_table "$path" ""
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $previous && " $syncline_valued " == *" $previous "* ]]; then
            previous=
        elif [[ -n $word && " $syncline_commands " == *" $word "* ]]; then
            path+=" $word"
            previous=
            _syncline_table "$path" ""
        elif [[ $word != -* && ( $path == "syncline run" || $path == oshrun ) ]]; then
            break # the program, which has arguments of its own
        else
            previous=$word
        fi
    done
    word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    if ((i < COMP_CWORD)) ||
        [[ ( $path == "syncline run" || $path == oshrun ) && $word != -* && ( -z $previous || " $syncline_valued " != *" $previous "* ) ]]; then
        if declare -F _command_offset >/dev/null; then
            _command_offset $i
        elif ((i == COMP_CWORD)); then
            mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
        fi
    elif [[ -n $previous && " $syncline_valued " == *" $previous "* ]]; then
        _syncline_table "$path" "$previous"
        mapfile -t COMPREPLY < <(compgen -W "$syncline_values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$syncline_options" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$syncline_commands $syncline_arguments" -- "$word")
    fi
}
# The shell reads this file by the name of the command that it completes: of an oshrun that is another OpenSHMEM's, it does not.
# Without an answer the shell completes names of files.
complete -o default -F _syncline "${BASH_SOURCE[0]##*/}"
