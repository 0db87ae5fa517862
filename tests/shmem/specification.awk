# SPDX-License-Identifier: BSD-3-Clause
# Makes of specification.txt a program that compiles only if shmem.h declares every function with exactly these types,
# under both prefixes, and defines every constant; in C11 also only if every generic call takes every type of its table
# and results in the right one. It links only if the library has them all. Its output is their number.

function die(text) {
    print "specification.awk: line " NR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}
function substitute(text, name) {
    gsub(/TYPE/, "T_" name, text)
    return text
}
function expect(result, name, types) {
    functions++
    print result " (*const p" functions ")(" types ") = shmem_" name ";"
    print result " (*const q" functions ")(" types ") = pshmem_" name ";"
}
# A call in C11 that is only compiled.
function generic(result, name, types,    part, count, i, call) {
    count = split(types, part, /, */)
    call = "shmem_" name "("
    for (i = 1; i <= count; i++) {
        call = call (i > 1 ? ", " : "") "(" part[i] ")0"
    }
    call = call ")"
    generics = generics "    if (never) { (void)" call "; }\n"
    if (result != "void") {
        generics = generics "    _Static_assert(_Generic(" call ", " result ": 1, default: 0), \"" name "\");\n"
    }
    generic_calls++
}
function call(result, name, types, flags, with_context) {
    expect(result, name, types)
    if (flags ~ /c/) {
        with_context = types == "void" ? "shmem_ctx_t" : "shmem_ctx_t, " types
        expect(result, "ctx_" name, with_context)
    }
}

BEGIN {
    print "/* Made by specification.awk. */\n#include <pshmem.h>\n#include <shmemx.h>\n#include <stdio.h>"
}
/^#/ || NF == 0 { next }
$1 == "type" {
    for (colon = 2; colon < NF && $colon != ":"; colon++) {
    }
    name = $(colon + 1)
    type = ""
    for (i = colon + 2; i <= NF; i++) {
        type = type (type == "" ? "" : " ") $i
    }
    for (i = 2; i < colon; i++) {
        rows[$i] = rows[$i] " " name
    }
    print "__extension__ typedef " type " T_" name ";"
    next
}
$1 == "call" {
    if (!match($0, / : /)) {
        die("no colon")
    }
    of_table = $2
    flags = $3
    prototype = substr($0, RSTART + 3)
    open_at = index(prototype, "(")
    types = substr(prototype, open_at + 1, length(prototype) - open_at - 1)
    head = substr(prototype, 1, open_at - 1)
    match(head, /[A-Za-z0-9_]+$/)
    name = substr(head, RSTART)
    result = substr(head, 1, RSTART - 1)
    sub(/ +$/, "", result)
    if (of_table != "-") {
        count = split(rows[of_table], row, " ")
        if (count == 0) {
            die("no rows in the table " of_table)
        }
        for (r = 1; r <= count; r++) {
            typed = name
            sub(/^T_/, row[r] "_", typed)
            call(substitute(result, row[r]), typed, substitute(types, row[r]), flags)
            if (flags ~ /g/) {
                typed = substr(name, 3)
                generic(substitute(result, row[r]), typed, substitute(types, row[r]))
                if (flags ~ /c/) {
                    generic(substitute(result, row[r]), typed, "shmem_ctx_t, " substitute(types, row[r]))
                }
            }
        }
    } else if (name ~ /SIZE/) {
        for (bits = 8; bits <= 128; bits *= 2) {
            sized = name
            sub(/SIZE/, bits, sized)
            call(result, sized, types, flags)
        }
    } else {
        call(result, name, types, flags)
        if (flags ~ /g/) {
            generic(result, name, types)
            generic(result, name, "shmem_ctx_t, " types)
        }
    }
    next
}
$1 == "constant" {
    for (i = 3; i <= NF; i++) {
        constants++
        print "static const long constant" constants " = " $i ";"
        uses = uses "    sum += constant" constants ";\n"
    }
    next
}
{ die("neither type, call nor constant") }
END {
    if (failed) {
        exit 1
    }
    print "static int never;"
    print "#ifndef __cplusplus\nstatic void generic_calls(void) {\n" generics "    shmem_sync(SHMEM_TEAM_WORLD);\n}\n#endif"
    print "int main(void) {\n    long sum = 0;"
    for (i = 1; i <= functions; i++) {
        print "    sum += p" i " != q" i ";"
    }
    print uses "    if (never) {"
    print "        shmem_team_t teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};"
    print "        shmem_ctx_t contexts[] = {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID};"
    print "        shmem_team_config_t team;\n        shmem_ctx_session_config_t session;"
    print "        team.num_contexts = 1;\n        session.total_ops = SIZE_MAX;"
    print "        sum += team.num_contexts + (session.total_ops == SIZE_MAX) + (teams[0] == teams[1]) + (contexts[0] == contexts[1]);"
    print "        start_pes(0);\n        shfree(shrealloc(shmemalign(8, 8), 16));\n        shfree(shmalloc(8));"
    print "        sum += _my_pe() + _num_pes();\n    }"
    print "#ifndef __cplusplus\n    if (never) {\n        generic_calls();\n    }\n#endif"
    print "    printf(\"" functions " functions, " generic_calls " generic calls, " constants " constants, %s\\n\", SHMEM_VENDOR_STRING);"
    print "    return sum < 0 || SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION != 6 || sizeof(SHMEM_VENDOR_STRING) > SHMEM_MAX_NAME_LEN;\n}"
}
