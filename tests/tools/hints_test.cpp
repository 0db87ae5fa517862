// SPDX-License-Identifier: BSD-3-Clause
// Method: every command in back quotes that begins with `syncline` or `oshrun`, in sources, headers and documents, and
// every line of their code blocks that does. The real parser takes each, with all callbacks emptied so that nothing
// runs: a hint names commands and options that exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/folders.h"
#include "tests/read_file.h"
#include "tools/app.h"
#include "tools/launcher_words.h"

namespace syncline::tools {
namespace {

namespace fs = std::filesystem;

// String literals and comments that are broken over lines, as one.
std::string joined(std::string text) {
    text = std::regex_replace(text, std::regex("\"\\s*\n\\s*\""), "");
    return std::regex_replace(text, std::regex("\n\\s*(//|\\*|#) "), " ");
}

std::set<std::string> hints_in(const fs::path& path) {
    std::set<std::string> hints;
    const std::string text = read_file(path);
    const std::string whole = joined(text);
    const std::regex quoted("`(syncline(?: [^`\n]+)?)`");
    for (std::sregex_iterator at(whole.begin(), whole.end(), quoted), end; at != end; ++at) {
        hints.insert((*at)[1]);
    }
    if (path.extension() == ".md") {
        const std::regex line("(?:^|\n)    (syncline [^#\n]*)");
        for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
            hints.insert((*at)[1]);
        }
    }
    return hints;
}

// "syncline testbed down --name {}" as a user types it.
std::vector<std::string> words_of(const std::string& hint) {
    const std::string text = std::regex_replace(hint, std::regex("\\{[^}]*\\}"), "1");
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word && word != "|" && word != ">" && word != "&&";) {
        words.push_back(word);
    }
    return words;
}

// A command's callback holds what its options are parsed into, so it is kept.
struct Opened : CLI::App {
    static std::function<void()>& callback_of(CLI::App* app) { return app->*&Opened::final_callback_; }
};
std::vector<std::function<void()>> kept;

void empty_callbacks(CLI::App* app) {
    kept.push_back(std::exchange(Opened::callback_of(app), [] {}));
    for (CLI::App* const command : app->get_subcommands([](CLI::App*) { return true; })) {
        empty_callbacks(command);
    }
}

std::vector<std::string> with(std::vector<std::string> words, const std::string& last) {
    words.push_back(last);
    return words;
}

// The mistake in a command line, or "". A command that is only named lacks what it requires, which is no mistake.
std::string mistake_in(const std::vector<std::string>& words) {
    CLI::App app;
    int exit_code = 0;
    build_app(&app, &exit_code);
    empty_callbacks(&app);
    try {
        app.parse(words_for_parser(app, std::vector<std::string>(words.begin() + 1, words.end())));
    } catch (const UsageError& error) {
        const std::string mistake = error.what();
        // A command that is only named has no program, an option that is only named no value.
        return mistake == "no program is named"     ? ""
               : mistake.ends_with("needs a value") ? mistake_in(with(words, "1"))
                                                    : mistake;
    } catch (const CLI::RequiredError& error) {
        std::vector<std::string> left = app.remaining(true);
        return left.empty() ? "" : "'" + left.front() + "' is no command";
    } catch (const CLI::Success&) {
        return "";
    } catch (const CLI::ArgumentMismatch&) {
        // An option that is only named lacks its value.
        return words.back().starts_with("--") ? mistake_in(with(words, "1")) : "a value is missing";
    } catch (const CLI::ParseError& error) {
        return error.what();
    }
    return "";
}

TEST(Hints, TheParserKnowsMistakes) {
    EXPECT_EQ(mistake_in({"syncline", "testbed", "status"}), "");
    EXPECT_NE(mistake_in({"syncline", "testbed", "list"}), "");
    EXPECT_NE(mistake_in({"syncline", "testbed", "down", "default"}), "");
    EXPECT_NE(mistake_in({"syncline", "frobnicate"}), "");
    EXPECT_NE(mistake_in({"syncline", "run", "--no-such-option", "1", "true"}), "");
}

TEST(Hints, NameCommandsThatExist) {
    size_t count = 0;
    const fs::path root = source_folder();
    for (const char* const folder : {"src", "tools", "include", "docs", "examples", "README.md", "CONTRIBUTING.md"}) {
        std::vector<fs::path> files = {root / folder};
        if (fs::is_directory(root / folder)) {
            files.assign(fs::recursive_directory_iterator(root / folder), fs::recursive_directory_iterator());
        }
        for (const fs::path& file : files) {
            if (!fs::is_regular_file(file)) {
                continue;
            }
            for (const std::string& hint : hints_in(file)) {
                count++;
                EXPECT_EQ(mistake_in(words_of(hint)), "") << "`" << hint << "` in " << file.string();
            }
        }
    }
    EXPECT_GT(count, 20u) << "hints are found";
}

}  // namespace
}  // namespace syncline::tools
