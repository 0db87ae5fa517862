// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help_formatter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace syncline::tools {
namespace {

// Narrower columns of words are harder to read than lines that the terminal breaks.
constexpr size_t least_columns = 20;

// Where the lines below `line` start.
size_t indent_of(const std::string& line, size_t description) {
    const size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool is_described = line.size() > description && line[description] != ' ' && line[description - 1] == ' ';
    return first > 0 && is_described ? description : first;
}

void append_wrapped(std::string line, size_t columns, size_t description, std::string* text) {
    const size_t indent = indent_of(line, description);
    while (line.size() > columns && columns >= indent + least_columns) {
        const size_t space = line.rfind(' ', columns);
        const size_t end = space == std::string::npos || space <= indent ? line.find(' ', columns) : space;
        if (end == std::string::npos) {
            break;
        }
        *text += line.substr(0, end) + '\n';
        line = std::string(indent, ' ') + line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    *text += line;
}

}  // namespace

unsigned terminal_columns() {
    winsize size = {};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrapped_help(const std::string& text, unsigned columns, unsigned description) {
    if (columns == 0) {
        return text;
    }
    std::string wrapped;
    size_t begin = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        append_wrapped(text.substr(begin, end - begin), columns, description, &wrapped);
        wrapped += '\n';
        begin = end + 1;
    }
    append_wrapped(text.substr(begin), columns, description, &wrapped);
    return wrapped;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    return wrapped_help(CLI::Formatter::make_help(app, std::move(name), mode), columns_,
                        static_cast<unsigned>(get_column_width()));
}

}  // namespace syncline::tools
