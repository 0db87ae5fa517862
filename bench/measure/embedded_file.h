// SPDX-License-Identifier: BSD-3-Clause
// A file as a part of the program.
#pragma once

#include <string>

// Defines std::string NAME(), which returns what was in the file when this was compiled.
#define SYNCLINE_EMBED_FILE(NAME, FILE)                                       \
    asm(".pushsection .rodata\n" #NAME "_begin: .incbin \"" FILE "\"\n" #NAME \
        "_end:\n"                                                             \
        ".popsection\n");                                                     \
    extern const char NAME##_begin[], NAME##_end[];                           \
    static std::string NAME() {                                               \
        return {NAME##_begin, NAME##_end};                                    \
    }
