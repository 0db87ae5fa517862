# SPDX-License-Identifier: BSD-3-Clause
# Part of native-pages, which describes its input: the calls, then the header, then those that it consists of. Its variables
# are header, its calls' names (a pattern) and api, the macro in front of them; library; title_page, subject and see_also, of
# the page of all.

function fail(text) {
    print "native-pages: " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    parts = 0
    declared = "^(" api "|static inline) .*" names "\\("
    macro = "^#define " names "\\("
}
FNR == 1 {
    input++
    skipping = input > 2
}
input == 1 {
    match($0, names "\\(")
    declaration[substr($0, RSTART, RLENGTH - 1)] = $0 ";"
    next
}

# A header that another consists of begins behind the words that open it.
skipping {
    skipping = !/^extern "C"/
    next
}

# The header: groups of a comment and the code below it, up to an empty line or the next comment.
/^\/\* ---- .* -+ \*\/$/ {
    end_group()
    title[++parts] = $0
    gsub(/^\/\* -+ | -+ \*\/$/, "", title[parts])
    next
}
/^\/\* SPDX/ { next }
in_comment {
    if ($0 ~ /\*\/$/) {
        in_comment = 0
    } else {
        comment[++comments] = substr($0, 4)
    }
    next
}
/^\/\*$/ {
    end_group()
    in_comment = 1
    next
}
/^\/\*.*\*\/$/ {
    end_group()
    comment[++comments] = substr($0, 4, length($0) - 6)
    next
}
/^\/\*/ {
    end_group()
    in_comment = 1
    comment[++comments] = substr($0, 4)
    next
}
/^$/ && !inside_type() { end_group(); next }
{ code[++codes] = $0 }

# A structure or an enumeration may have empty lines.
function inside_type() { return codes > 0 && code[1] ~ /^(typedef|enum).*\{$/ && code[codes] !~ /^\}/ }

# For troff: minus signs, requests, and statuses in full.
function escaped(text,    result) {
    while (header == "syncline.h" && match(text, /(^|[ (])_[A-Z][A-Z_]+/)) {
        result = result substr(text, 1, RSTART - 1) substr(text, RSTART, index(substr(text, RSTART), "_") - 1) \
            "SYNCLINE_ERR" substr(text, RSTART + index(substr(text, RSTART), "_") - 1, \
            RLENGTH - index(substr(text, RSTART), "_") + 1)
        text = substr(text, RSTART + RLENGTH)
    }
    text = result text
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/`/, "", text)
    return text ~ /^[.']/ ? "\\\\&" text : text
}
function add(line) { body[parts] = body[parts] line "\n" }

# A comment: paragraphs, code, which is indented by five and more, and items, as `Word.   text` and `name   text`.
function add_comment(    i, line, state) {
    state = ""
    for (i = 1; i <= comments; i++) {
        line = comment[i]
        if (line ~ /^ *$/) {
            if (state == "code") {
                add(".EE")
            }
            state = ""
            add(".PP")
        } else if (match(line, "^([A-Z][a-z]+\\.|" names ")  +")) {
            add(".TP 4\n\\fB" escaped(substr(line, 1, match(line, / /) - 1)) "\\fR")
            sub(/^[^ ]+ +/, "", line)
            add(escaped(line))
            state = "item"
        } else if (line ~ /^     / && state != "item") {
            if (state != "code") {
                add(".EX")
            }
            state = "code"
            add(escaped(substr(line, 6)))
        } else {
            if (line ~ /^Errors( besides)?: /) {
                add(".PP")
            }
            sub(/^ +/, "", line)
            add(escaped(line))
        }
    }
    if (state == "code") {
        add(".EE")
    }
}

# A group of calls: their names, the comment above them, and those behind them.
function add_calls(    i, all, name, line, behind) {
    for (i = 1; i <= codes; i++) {
        line = code[i]
        if (line ~ declared || line ~ macro) {
            match(line, names "\\(")
            name = substr(line, RSTART, RLENGTH - 1)
            if (line ~ macro) {
                declaration[name] = substr(line, RSTART, index(line, ")") - RSTART + 1) ";"
            } else if (!(name in declaration)) {
                fail("the preprocessor does not see " name)
            }
            enter(name)
            all = all (all == "" ? "" : ", ") name "()"
            if (match(line, /\/\* .* \*\/$/)) {
                behind = behind ".TP 4\n\\fB" name "\\fR()\n" escaped(substr(line, RSTART + 3, RLENGTH - 6)) "\n"
            }
        }
    }
    if (all != "" && comments == 0 && behind == "") {
        fail(all " has no comment")
    }
    if (all != "") {
        add(".SS " escaped(all))
        add_comment()
        if (behind != "") {
            add(behind)
        }
    }
}

function enter(name) {
    if (name in part_of) {
        fail(name " is in two parts")
    }
    part_of[name] = parts
    ordered[parts, ++calls[parts]] = name
}

function end_group(    i) {
    if (codes == 0 || code[1] ~ /^#ifndef/) {
        # A comment by itself opens the header or the part, or explains what macros make.
        if (comments > 0) {
            add(".PP")
            add_comment()
        }
    } else if ((code[1] ~ declared && (comments > 0 || code[1] !~ /^static/)) || code[1] ~ macro) {
        add_calls()
    } else if (code[1] ~ /^#define [A-Z_]+\(/) {
        macros = parts
    } else if (code[1] ~ /^(typedef|enum)/ || (code[1] ~ /^#define/ && comments > 0)) {
        add(".PP")
        add_comment()
        add(".PP\n.EX")
        for (i = 1; i <= codes; i++) {
            add(escaped(code[i]))
        }
        add(".EE")
    }
    comments = codes = 0
}

function write_head(name, all, about, file) {
    print ".\\\" Made by scripts/native-pages from the comments in " header "." > file
    print ".TH " toupper(name) " 3 \"\" Syncline Syncline" > file
    print ".nr HY 0\n.nh\n.ds AD l\n.ad l\n.SH NAME\n" all " \\- " escaped(about) > file
    print ".SH SYNOPSIS\n.B #include <" header ">" > file
}

function write_part(part,    i, name, file, all, alias) {
    name = ordered[part, 1]
    file = output "/" name ".3"
    for (i = 1; i <= calls[part]; i++) {
        all = all (i > 1 ? ", " : "") ordered[part, i]
    }
    write_head(name, all, tolower(substr(title[part], 1, 1)) substr(title[part], 2), file)
    print ".PP\n.in +4n" > file
    for (i = 1; i <= calls[part]; i++) {
        print (i > 1 ? ".br\n" : "") ".ti -4n\n.B " escaped(declaration[ordered[part, i]]) > file
        if (i > 1) {
            alias = output "/" ordered[part, i] ".3"
            print ".so man3/" name ".3" > alias
            close(alias)
        }
    }
    print ".in\n.SH DESCRIPTION" > file
    printf "%s", body[part] > file
    print ".SH \"SEE ALSO\"\n\\fB" title_page "\\fR(3)" > file
    close(file)
}

END {
    if (failed) {
        exit 1
    }
    end_group()
    for (name in declaration) {
        generated[++count] = name
    }
    sort_names(count)
    parts = macros
    for (i = 1; i <= count; i++) {
        if (!(generated[i] in part_of)) {
            if (macros == 0) {
                fail(generated[i] " is in no part")
            }
            enter(generated[i])
        }
    }
    file = output "/" title_page ".3"
    write_head(title_page, title_page, subject, file)
    print ".PP\nLink with \\fB\\-l" library "\\fR.\n.SH DESCRIPTION" > file
    printf "%s", body[0] > file
    print ".SH CALLS" > file
    for (part = 1; part in title; part++) {
        if (calls[part] == 0) {
            fail("the part '" title[part] "' has no call")
        }
        write_part(part)
        print ".TP 4\n\\fB" ordered[part, 1] "\\fR(3)\n" escaped(title[part]) > file
    }
    print ".SH \"SEE ALSO\"\n" see_also > file
}

function sort_names(count,    i, j, name) {
    for (i = 2; i <= count; i++) {
        name = generated[i]
        for (j = i - 1; j >= 1 && generated[j] > name; j--) {
            generated[j + 1] = generated[j]
        }
        generated[j + 1] = name
    }
}
