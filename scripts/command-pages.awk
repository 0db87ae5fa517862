# SPDX-License-Identifier: BSD-3-Clause
# Part of command-pages. Its input is the --help of one command, as CLI11 and oshrun write it. A line that begins with
# two spaces has an option, an argument or a subcommand; two spaces more end its name. Its text goes on in lines that are
# indented further.

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    while (match(text, /`[^`]*`/)) {
        text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" substr(text, RSTART + RLENGTH)
    }
    gsub(/'/, "\\(cq", text)
    if (text ~ /^\./) {
        text = "\\&" text
    }
    return text
}

function split_item(line,    at) {
    sub(/^  /, "", line)
    at = match(line, /  +/)
    item = at == 0 ? line : substr(line, 1, at - 1)
    text = at == 0 ? "" : substr(line, at)
    sub(/ +$/, "", item)
    sub(/^ +/, "", text)
}

# Names of options, or of an argument, in bold.
function emphasised(item,    words, word, i, at, result) {
    gsub(/,-/, ", -", item)
    gsub(/\{false\}/, "", item)
    words = split(item, word, " ")
    for (i = 1; i <= words; i++) {
        at = match(word[i], /[,=\[<]/) ? RSTART : length(word[i]) + 1
        result = result (i > 1 ? " " : "") (word[i] ~ /^-/ || (i == 1) ? \
            "\\fB" escaped(substr(word[i], 1, at - 1)) "\\fR" escaped(substr(word[i], at)) : escaped(word[i]))
    }
    return result
}

# The call, without the place of the program and the words of the command.
function set_synopsis(usage,    words, word, i) {
    sub(/^[^ ]*\//, "", usage)
    words = split(command, word, " ")
    for (i = 1; i <= words; i++) {
        if (index(usage " ", word[i] " ") == 1) {
            usage = substr(usage, length(word[i]) + 2)
        }
    }
    synopsis = usage == "" ? "" : " " usage
}

NR == 1 && /^usage: / { set_synopsis(substr($0, 8)); next }
/^Usage: / { set_synopsis(substr($0, 8)); next }
/^(Positionals|Options|Subcommands):/ { part = substr($0, 1, length($0) - 1); next }
/^  [^ ]/ {
    if (part == "") {
        part = "Options"
    }
    split_item($0)
    count[part]++
    name_of[part, count[part]] = item
    text_of[part, count[part]] = text
    last = part
    next
}
/^   / && last != "" {
    sub(/^ +/, "")
    text_of[last, count[last]] = text_of[last, count[last]] (text_of[last, count[last]] == "" ? "" : " ") $0
    next
}
/^$/ { last = ""; next }
{ description = description (description == "" ? "" : " ") $0 }

function write_list(part, title,    i) {
    if (!count[part]) {
        return
    }
    print ".SH " title
    for (i = 1; i <= count[part]; i++) {
        # A text that has room in the line of its name begins in column 30.
        if (text_of[part, i] == "" && substr(name_of[part, i], 28, 1) == " ") {
            text_of[part, i] = substr(name_of[part, i], 29)
            name_of[part, i] = substr(name_of[part, i], 1, 27)
        }
        print ".TP"
        if (part == "Subcommands") {
            print "\\fB" escaped(name_of[part, i]) "\\fR"
            print escaped(text_of[part, i]) (text_of[part, i] ~ /\.$/ ? "" : ".") " See"
            print "\\fB" escaped(page "-" name_of[part, i]) "\\fR(" section ")."
        } else {
            print emphasised(name_of[part, i])
            print escaped(text_of[part, i])
        }
    }
}

# "  NAME = DEFAULT  [default...]", and in the next line its meaning.
function list_of_variables(    line, list, preset) {
    while ((getline line < variables) > 0) {
        if (line ~ /^  [A-Z]/) {
            preset = line
            sub(/^  [A-Z_]* = /, "", preset)
            sub(/  \[.*/, "", preset)
            gsub(/^\(|\)$/, "", preset)
            sub(/^  /, "", line)
            sub(/ .*/, "", line)
            list = list ".TP\n\\fB" line "\\fR\n"
        } else {
            sub(/^ +/, "", line)
            list = list escaped(toupper(substr(line, 1, 1)) substr(line, 2)) ". Default: " escaped(preset) ".\n"
        }
    }
    return list
}

END {
    while ((getline line < note) > 0) {
        if (line ~ /^\.\\" NAME: /) {
            name = substr(line, 11)
        } else if (line == ".\\\" VARIABLES") {
            notes = notes list_of_variables()
        } else {
            notes = notes line "\n"
        }
    }
    if (name == "") {
        name = description
        sub(/(: |\. |\.$).*/, "", name)
        name = tolower(substr(name, 1, 1)) substr(name, 2)
    }
    if (name == "" || count["Options"] == 0) {
        print "command-pages: " command " --help has neither a description nor an option" > "/dev/stderr"
        exit 1
    }
    print ".\\\" Made by scripts/command-pages from `" command " --help`."
    print ".TH " toupper(page) " " section " \"\" \"" version "\" Syncline"
    print ".nh\n.ds AD l\n.ad l\n.SH NAME\n" escaped(page) " \\- " escaped(name)
    print ".SH SYNOPSIS\n\\fB" escaped(command) "\\fR" escaped(synopsis)
    print ".SH DESCRIPTION\n" escaped(description)
    write_list("Positionals", "ARGUMENTS")
    write_list("Options", "OPTIONS")
    write_list("Subcommands", "COMMANDS")
    printf "%s", notes
    if (above != "") {
        print ".SH \"SEE ALSO\"\n\\fB" escaped(above) "\\fR(" section ")"
    }
}
