# SPDX-License-Identifier: BSD-3-Clause
# Part of man-pages, which describes its input.

function fail(text) {
    print "man-pages: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# A declaration, as `result @ name @ arguments` has it. Its name contains its list.
function declare(result, name, arguments, key) {
    key = name
    if (match(key, /of[A-Z_]+end/)) {
        key = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
        list_of[key] = substr(name, RSTART + 2, RLENGTH - 5)
    }
    gsub(/ +\*/, "*", arguments)
    gsub(/ +/, " ", arguments)
    sub(/ $/, "", arguments)
    declaration[key] = result (result ~ /\*$/ ? "" : " ") key arguments ";"
}

/^@@ list *:/ {
    split($0, part, / *[@] */)
    list = part[3]
    sub(/^list *: */, "", list)
    sub(/ +$/, "", part[5])
    row_count[list]++
    row_name[list, row_count[list]] = part[4]
    row_type[list, row_count[list]] = part[5]
    next
}
/^@@ / {
    split($0, part, / *[@] */)
    declare(part[3], part[4], part[5])
    next
}
/^SHMEM_API / {
    text = $0
    sub(/^SHMEM_API /, "", text)
    sub(/ __attribute__.*/, "", text)
    sub(/;.*/, "", text)
    match(text, /_?[a-z_]+\(/)
    declare(substr(text, 1, RSTART - 1), substr(text, RSTART, RLENGTH - 1), substr(text, RSTART + RLENGTH - 1))
}
/^#define shmem_[a-z_]+\(\.\.\.\)/ {
    name = $2
    sub(/\(.*/, "", name)
    generic[name] = 1
}

# Comments with a page.
/^ \* [a-z_]+\(3\): / && before == "/*" {
    pages++
    title[pages] = $0
    sub(/^ \* [a-z_]+\(3\): /, "", title[pages])
    page_name[pages] = $2
    sub(/\(3\):.*/, "", page_name[pages])
    header[pages] = FILENAME ~ /shmemx\.h$/ ? "shmemx.h" : "shmem.h"
    inside = 1
    paragraph = 0
    before = $0
    next
}
inside && /^ \*\// { inside = 0 }
inside && /^ \*$/ { paragraph++ }
inside && /^ \* / { text_of[pages, paragraph] = text_of[pages, paragraph] substr($0, 3); paragraphs[pages] = paragraph }
{ before = $0 }

# Names of a pattern: a{b,c}d is abd and acd.
function expand_names(pattern, names, count,    open, close_at, choice, choices, i) {
    open = index(pattern, "{")
    if (open == 0) {
        names[++count] = pattern
        return count
    }
    close_at = index(pattern, "}")
    choices = split(substr(pattern, open + 1, close_at - open - 1) ",", choice, ",") - 1
    for (i = 1; i <= choices; i++) {
        count = expand_names(substr(pattern, 1, open - 1) choice[i] substr(pattern, close_at + 1), names, count)
    }
    return count
}

# For troff: minus signs, and a line that begins with what would be a request.
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) {
        text = "\\&" text
    }
    return text
}
function emphasised(text,    result) {
    result = ""
    text = escaped(text)
    while (match(text, /(shmemx?_[a-zA-Z_]+|shmem|start_pes|_my_pe|_num_pes|shmalloc|shmemalign|shrealloc|shfree)\([3)]\)?/)) {
        result = result substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        sub(/\(3\)$/, "\\fR(3)", result) || sub(/\(\)$/, "()\\fR", result)
    }
    return result text
}

function write_alias(name, file) {
    if (name == page_name[page]) {
        return
    }
    file = output "/" name ".3"
    print ".so man3/" page_name[page] ".3" > file
    close(file)
}

function write_types(file,    list, line, i, j, name) {
    for (j = 1; j <= lists; j++) {
        list = ordered[j]
        line = ""
        for (i = 1; i <= row_count[list]; i++) {
            name = row_name[list, i]
            line = line (i > 1 ? ", " : "") name (list == "SIZES" || row_type[list, i] == name ? "" : \
                " (" row_type[list, i] ")")
        }
        print ".PP\n" escaped((list == "SIZES" ? "SIZE, in bits, in " : "TYPENAME, and TYPE if that differs, in ") \
            users[list] ": " line ".") > file
    }
}

function write_page(    names, count, words, word, i, j, file, text, line, sections, plain, generics) {
    file = output "/" page_name[page] ".3"
    count = 0
    words = split(text_of[page, 0], word, " ")
    for (i = 1; i <= words; i++) {
        count = expand_names(word[i], names, count)
    }
    delete users
    lists = 0
    line = count == 0 ? page_name[page] : ""
    generics = ""
    for (i = 1; i <= count; i++) {
        if (!(names[i] in declaration)) {
            fail(page_name[page] "(3) is of " names[i] ", which there is not")
        }
        if (names[i] in documented) {
            fail(names[i] " is in two pages")
        }
        documented[names[i]] = 1
        line = line (i > 1 ? ", " : "") names[i]
        plain = names[i]
        if (names[i] in list_of) {
            list = list_of[names[i]]
            if (!(list in users)) {
                ordered[++lists] = list
                users[list] = ""
            }
            if (plain !~ /_ctx_/) {
                users[list] = users[list] (users[list] == "" ? "" : ", ") plain
            }
            for (j = 1; j <= row_count[list]; j++) {
                text = names[i]
                sub(list == "SIZES" ? "SIZE" : "TYPENAME", row_name[list, j], text)
                write_alias(text)
            }
            sub(/TYPENAME_/, "", plain)
        } else {
            write_alias(names[i])
        }
        if (plain in generic) {
            generics = generics (generics == "" ? "" : ", ") plain
            delete generic[plain]
            write_alias(plain)
        }
    }
    print ".\\\" Made by scripts/man-pages from the comments in the headers." > file
    print ".TH " toupper(page_name[page]) " 3 \"\" Syncline OpenSHMEM" > file
    print ".nh\n.ds AD l\n.ad l\n.SH NAME\n" line " \\- " escaped(title[page]) > file
    print ".SH SYNOPSIS\n.B #include <" header[page] ">" > file
    if (count > 0) {
        print ".PP\n.in +4n" > file
        for (i = 1; i <= count; i++) {
            print (i > 1 ? ".br\n" : "") ".ti -4n\n.B " escaped(declaration[names[i]]) > file
        }
        print ".in" > file
    }
    if (generics != "") {
        print ".PP\nGeneric in C11, with or without a context in front where there is one: " generics "." > file
    }
    print ".SH DESCRIPTION" > file
    for (i = 1; i <= paragraphs[page]; i++) {
        text = text_of[page, i]
        sub(/^ /, "", text)
        if (match(text, /^[A-Z][a-z]+( [a-z]+)?: /)) {
            if (!sections++) {
                write_types(file)
            }
            print ".SH " toupper(substr(text, 1, RLENGTH - 2)) > file
            text = substr(text, RLENGTH + 1)
            if (text !~ /^shmem/) {
                text = toupper(substr(text, 1, 1)) substr(text, 2)
            }
        } else if (i > 1) {
            print ".PP" > file
        }
        print emphasised(text) > file
    }
    close(file)
}

END {
    if (failed) {
        exit 1
    }
    for (page = 1; page <= pages; page++) {
        write_page()
    }
    for (name in declaration) {
        if (!(name in documented)) {
            fail("no page has " name)
        }
    }
    for (name in generic) {
        if (name in declaration) {
            continue
        }
        fail("no page has the generic call " name)
    }
}
