# SPDX-License-Identifier: BSD-3-Clause
# Walks through the words before the cursor to the subcommand that they name.
_syncline() {
    local syncline_commands syncline_arguments syncline_options syncline_valued syncline_values
    local path_of=${${words[1]:t}%.syncline} word previous= i
    _syncline_table "$path_of" ""
    for ((i = 2; i < CURRENT; i++)); do
        word=${words[i]}
        if [[ -n $previous && " $syncline_valued " == *" $previous "* ]]; then
            previous=
        elif [[ -n $word && " $syncline_commands " == *" $word "* ]]; then
            path_of+=" $word"
            previous=
            _syncline_table "$path_of" ""
        elif [[ $word != -* && ( $path_of == "syncline run" || $path_of == oshrun ) ]]; then
            # The program, which has arguments of its own.
            shift $((i - 1)) words
            ((CURRENT -= i - 1))
            _normal
            return
        else
            previous=$word
        fi
    done
    word=${words[CURRENT]}
    if [[ -n $previous && " $syncline_valued " == *" $previous "* ]]; then
        _syncline_table "$path_of" "$previous"
        if [[ -n $syncline_values ]]; then
            compadd -- ${=syncline_values}
        else
            _files
        fi
    elif [[ $word == -* ]]; then
        compadd -- ${=syncline_options}
    elif [[ -n $syncline_commands ]]; then
        compadd -- ${=syncline_commands}
    elif [[ -n $syncline_arguments ]]; then
        compadd -- ${=syncline_arguments} || _files
    elif [[ $path_of == "syncline run" || $path_of == oshrun ]]; then
        _command_names -e
        _files
    else
        _files
    fi
}
_syncline "$@"
