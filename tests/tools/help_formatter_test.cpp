// SPDX-License-Identifier: BSD-3-Clause
// Method: a help text by CLI11's rules, with its descriptions in column 12. It is wrapped at several widths; each line
// is compared with what a reader expects, and no width loses a word.
#include "tools/help_formatter.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace syncline::tools {
namespace {

const std::string help_text =
    "Start the PEs of a program and wait for their end.\n"
    "Usage: syncline run [OPTIONS] program...\n"
    "\n"
    "Options:\n"
    "  -n UINT   number of PEs, which share the nodes evenly\n"
    "  --transport TEXT:{shm,udp,xdp,auto}=auto\n"
    "            transport between the nodes\n";

std::vector<std::string> list_words(const std::string& lines) {
    std::istringstream stream(lines);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

TEST(HelpFormatterTest, LinesGoOnBelowWhereTheyBegan) {
    EXPECT_EQ(wrapped_help(help_text, 36, 12),
              "Start the PEs of a program and wait\n"
              "for their end.\n"
              "Usage: syncline run [OPTIONS]\n"
              "program...\n"
              "\n"
              "Options:\n"
              "  -n UINT   number of PEs, which\n"
              "            share the nodes evenly\n"
              "  --transport\n"
              "  TEXT:{shm,udp,xdp,auto}=auto\n"
              "            transport between the\n"
              "            nodes\n");
}

TEST(HelpFormatterTest, WithoutATerminalNothingIsWrapped) {
    EXPECT_EQ(wrapped_help(help_text, 0, 12), help_text);
}

TEST(HelpFormatterTest, NoWidthLosesAWord) {
    for (unsigned columns = 1; columns < 90; columns++) {
        EXPECT_EQ(list_words(wrapped_help(help_text, columns, 12)), list_words(help_text)) << columns << " columns";
    }
}

TEST(HelpFormatterTest, OnlyWordsThatAreTooLongPassTheEdge) {
    for (unsigned columns = 32; columns < 90; columns++) {  // least_columns behind the descriptions' column
        std::istringstream lines(wrapped_help(help_text, columns, 12));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), columns) << line;
        }
    }
}

}  // namespace
}  // namespace syncline::tools
