// SPDX-License-Identifier: BSD-3-Clause
// Method: every name beginning with SYNCLINE_ that a source, a test or a script of this project takes from the
// environment is in the table, and the table has no other; the pages for users name the variables for users. In
// environments with mistakes, each mistake is reported once, with the name that was probably meant. Values of each
// form, good and bad.
#include "base/variables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/failure.h"
#include "tests/folders.h"
#include "tests/read_file.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

// In C and C++ a name in quotes, alone or in front of "="; in scripts one that is used ($NAME, ${NAME) or set (NAME=).
bool is_asked_for(const std::string& text, size_t start, size_t end) {
    const auto at = [&](size_t place) { return place < text.size() ? text[place] : '\n'; };
    const char before = start == 0 ? '\n' : text[start - 1];
    const bool quoted = before == '"' && (at(end) == '"' || at(end) == '=');
    const bool used = before == '$' || (before == '{' && start > 1 && text[start - 2] == '$');
    const bool set = at(end) == '=' && at(end + 1) != '=' && std::string("\n (").find(before) != std::string::npos;
    return quoted || used || set;
}

void add_names(const std::string& text, std::set<std::string>* names) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    for (size_t start = text.find("SYNCLINE_"); start != std::string::npos; start = text.find("SYNCLINE_", start + 1)) {
        const size_t end = std::min(text.find_first_not_of(letters, start), text.size());
        if (end - start > sizeof("SYNCLINE_") - 1 && is_asked_for(text, start, end)) {
            names->insert(text.substr(start, end - start));
        }
    }
}

// cmake's ${SYNCLINE_X} and @SYNCLINE_X@ are none of them.
std::set<std::string> asked_for() {
    std::set<std::string> names;
    const fs::path root = source_folder();
    for (const char* const folder : {"src", "tools", "bench", "sim", "scripts", "tests", "examples"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string name = entry.path().filename();
            if (entry.is_regular_file() && name != "CMakeLists.txt" && !name.starts_with("variables")) {
                add_names(read_file(entry.path()), &names);
            }
        }
    }
    return names;
}

TEST(Variables, AllThatAreAskedForAreInTheTable) {
    const std::set<std::string> asked = asked_for();
    // Those of a test, and options of cmake that a sentence names.
    const std::set<std::string> others = {"SYNCLINE_WINDWO", "SYNCLINE_QUITE_ANOTHER", "SYNCLINE_HAEP_SIZE",
                                          "SYNCLINE_BENCH", "SYNCLINE_SIMULATOR"};
    std::set<std::string> known;
    for (const Variable& variable : variables()) {
        if (!std::string(variable.name).starts_with("SYNCLINE_")) {
            continue;
        }
        known.insert(variable.name);
        EXPECT_TRUE(asked.contains(variable.name)) << variable.name << " is in the table, and nothing reads it";
    }
    for (const std::string& name : asked) {
        EXPECT_TRUE(known.contains(name) || others.contains(name) || name.starts_with("SYNCLINE_ERR"))
            << name << " is not in the table";
    }
    EXPECT_GT(asked.size(), 20u);
}

TEST(Variables, ThoseForUsersAreOnThePages) {
    std::string pages;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_folder() + "/docs")) {
        pages += entry.path().extension() == ".md" ? read_file(entry.path()) : "";
    }
    for (const Variable& variable : variables()) {
        if (variable.is_for_users()) {
            EXPECT_NE(pages.find(fmt::format("`{}", variable.name)), std::string::npos) << variable.name;
        }
    }
}

TEST(Variables, TheTableExplainsThoseForUsers) {
    for (const Variable& variable : variables()) {
        EXPECT_EQ(*variable.meaning != '\0', variable.is_for_users()) << variable.name;
        EXPECT_EQ(*variable.preset != '\0', variable.is_for_users()) << variable.name;
        EXPECT_EQ(*variable.needs != '\0', variable.form == VariableForm::kNumber) << variable.name;
        EXPECT_EQ(*variable.words != '\0', variable.form == VariableForm::kWord) << variable.name;
        if (*variable.preset != '(') {
            EXPECT_EQ(mistake_in(variable, {variable.name, variable.preset}), "");
        }
        EXPECT_EQ(&variable_named(variable.name), &variable) << variable.name << " is in the table twice";
    }
}

std::string mistake(const char* name, const char* value) {
    return mistake_in(variable_named(name), {name, value});
}

TEST(Variables, ValuesThatMakeNoSenseAreMistakes) {
    EXPECT_EQ(mistake("SYNCLINE_TRANSPORT", "tcp"), "SYNCLINE_TRANSPORT is 'tcp': needs auto, shm, udp or xdp");
    EXPECT_EQ(mistake("SYNCLINE_TRANSPORT", ""), "SYNCLINE_TRANSPORT is '': needs auto, shm, udp or xdp");
    EXPECT_EQ(mistake("SYNCLINE_TRANSPORT", "auto shm"),
              "SYNCLINE_TRANSPORT is 'auto shm': needs auto, shm, udp or xdp");
    EXPECT_EQ(mistake("SYNCLINE_TRANSPORT", "udp"), "");
    EXPECT_EQ(mistake("SYNCLINE_WAIT", "sleep"), "SYNCLINE_WAIT is 'sleep': needs poll or block");
    for (const char* const value : {"", "0", "65", "-1", "8 ", "0x8", "18446744073709551617"}) {
        EXPECT_NE(mistake("SYNCLINE_WINDOW", value), "") << value;
    }
    EXPECT_EQ(mistake("SYNCLINE_WINDOW", "64"), "");
    EXPECT_EQ(mistake("SYNCLINE_PEER_TIMEOUT", "4294967296"),
              "SYNCLINE_PEER_TIMEOUT is '4294967296': needs milliseconds");
    EXPECT_EQ(mistake("SYNCLINE_MEMORY_LIMIT", "0"), "SYNCLINE_MEMORY_LIMIT is '0': needs a size such as 64M or 1.5g");
    EXPECT_EQ(mistake("SYNCLINE_HEAP_SIZE", "1.5g"), "");
    EXPECT_EQ(mistake("SYNCLINE_DEBUG", "anything"), "");
}

TEST(Variables, ADeprecatedNameCountsWhereTheOtherIsNotSet) {
    ::setenv("SMA_SYMMETRIC_SIZE", "2M", 1);
    EXPECT_EQ(size_in("SHMEM_SYMMETRIC_SIZE"), 2u << 20);
    ::setenv("SHMEM_SYMMETRIC_SIZE", "much", 1);
    EXPECT_THROW(size_in("SHMEM_SYMMETRIC_SIZE"), Failure);
    ::setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
    EXPECT_EQ(size_in("SHMEM_SYMMETRIC_SIZE"), 1u << 20);
    ::unsetenv("SHMEM_SYMMETRIC_SIZE");
    ::unsetenv("SMA_SYMMETRIC_SIZE");
    EXPECT_EQ(size_in("SHMEM_SYMMETRIC_SIZE"), std::nullopt);
}

TEST(Variables, WhatNothingReadsIsNamed) {
    const char* const good[] = {"PATH=/bin", "SYNCLINE_WINDOW=3", "SYNCLINE_TEST_MARK=x", "SYNCLINER=1", nullptr};
    EXPECT_TRUE(unread_variables(good).empty());
    const char* const bad[] = {"SYNCLINE_WINDWO=3",       "SYNCLINE_=",          "SYNCLINE_DSM_PROTOKOL",
                               "SYNCLINE_TRANSPORTS=udp", "SYNCLINE_COLOUR=red", nullptr};
    const std::vector<std::string> warnings = unread_variables(bad);
    ASSERT_EQ(warnings.size(), 5u);
    EXPECT_EQ(warnings[0], "warning: nothing reads the variable SYNCLINE_WINDWO; is SYNCLINE_WINDOW meant?");
    EXPECT_EQ(warnings[1], "warning: nothing reads the variable SYNCLINE_");
    EXPECT_EQ(warnings[2],
              "warning: nothing reads the variable SYNCLINE_DSM_PROTOKOL; is SYNCLINE_DSM_PROTOCOL meant?");
    EXPECT_EQ(warnings[3], "warning: nothing reads the variable SYNCLINE_TRANSPORTS; is SYNCLINE_TRANSPORT meant?");
    EXPECT_EQ(warnings[4], "warning: nothing reads the variable SYNCLINE_COLOUR");
}

}  // namespace
}  // namespace syncline
