// SPDX-License-Identifier: BSD-3-Clause
#include "document.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace protocol {
namespace {

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Strings split(const std::string& text, char separator) {
    Strings parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        parts.push_back(trimmed(part));
    }
    return parts;
}

std::string without_remarks(const std::string& text) {
    return std::regex_replace(text, std::regex(" *\\([^)]*\\)"), "");
}

// u8, u16, u32, u64, i32, f64, char.
Field typed(const std::string& name, long offset, const std::string& type, const std::string& count) {
    static const std::vector<std::string> types = {"char", "u8", "u16", "u32", "u64", "i32", "f64"};
    if (std::find(types.begin(), types.end(), type) == types.end()) {
        throw std::runtime_error("docs/PROTOCOL.md: '" + type + "' is no type");
    }
    const size_t element = type == "char" ? 1 : std::stoul(type.substr(1)) / 8;
    return {name, offset, element * (count.empty() ? 1 : std::stoul(count)), element, type[0]};
}

Field field(const std::string& text) {
    static const std::regex plain("(\\w+) ([uif]\\d+|char)(?:\\[(\\d+)\\])?(?: @(\\d+))?");
    static const std::regex structures("(\\w+)\\[(\\d+)\\] of (\\d+) @(\\d+)");
    std::smatch match;
    if (std::regex_match(text, match, plain)) {
        return typed(match[1], match[4].matched ? std::stol(match[4]) : -1, match[2], match[3]);
    }
    if (std::regex_match(text, match, structures)) {
        const size_t element = std::stoul(match[3]);
        return {match[1], std::stol(match[4]), std::stoul(match[2]) * element, element, 's'};
    }
    throw std::runtime_error("docs/PROTOCOL.md: '" + text + "' is no field");
}

bool is_code(const std::string& line) {
    return line.starts_with("    ");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Field& field) {
    return out << field.name << " of " << field.bytes << " bytes, " << field.element << " each (" << field.kind
               << "), at " << field.offset;
}

Document::Document(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        text_ += line + "\n";
        lines_.push_back(line);
    }
    if (lines_.empty()) {
        throw std::runtime_error(path + " cannot be read");
    }
}

Strings Document::section(const std::string& title, int nth) const {
    static const std::regex heading("#+ (.*)");
    Strings found;
    bool inside = false;
    for (const std::string& line : lines_) {
        std::smatch match;
        if (std::regex_match(line, match, heading)) {
            if (inside) {
                return found;
            }
            inside = match[1] == title && nth-- == 0;
        } else if (inside) {
            found.push_back(line);
        }
    }
    if (!inside) {
        throw std::runtime_error("docs/PROTOCOL.md has no section '" + title + "'");
    }
    return found;
}

std::vector<Strings> table(const Strings& lines, const std::string& head) {
    std::vector<Strings> rows;
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const std::string& text) { return text.starts_with("| " + head + " |"); });
    if (line == lines.end()) {
        throw std::runtime_error("docs/PROTOCOL.md has no table of '" + head + "' here");
    }
    // In a cell, \| is a stroke.
    for (line += 2; line != lines.end() && line->starts_with("|"); ++line) {
        Strings cells = split(std::regex_replace(line->substr(1), std::regex("\\\\[|]"), "\x01"), '|');
        for (std::string& cell : cells) {
            std::replace(cell.begin(), cell.end(), '\x01', '|');
        }
        rows.push_back(std::move(cells));
    }
    return rows;
}

std::vector<Layout> layouts(const Strings& lines) {
    static const std::regex start("    (\\w+) (\\d+) +(\\w.*)");
    std::vector<Layout> found;
    std::string rest;
    const auto take_fields = [&] {
        for (const std::string& text : split(rest, ',')) {
            found.back().fields.push_back(field(text));
        }
        rest.clear();
    };
    for (const std::string& line : lines) {
        std::smatch match;
        const std::string plain = without_remarks(line);
        if (!is_code(line)) {
            continue;
        }
        if (std::regex_match(plain, match, start)) {
            if (!found.empty()) {
                take_fields();
            }
            found.push_back({match[1], std::stoul(match[2]), {}});
            rest = match[3];
        } else {
            (rest += ' ') += trimmed(plain);
        }
    }
    take_fields();
    return found;
}

std::vector<Layout> messages(const Strings& lines) {
    static const std::regex form("    (\\w+) {2,}(\\w.*?)(?: {2,}(\\d+) bytes)?");
    std::vector<Layout> found;
    for (const std::string& line : lines) {
        std::smatch match;
        const std::string plain = without_remarks(line);
        if (!is_code(line) || !std::regex_match(plain, match, form) || line.find('@') != std::string::npos ||
            std::isdigit(static_cast<unsigned char>(plain[4])) != 0) {
            continue;
        }
        found.push_back({match[1], match[3].matched ? std::stoul(match[3]) : 0, {}});
        for (const std::string& text : split(match[2], ',')) {
            found.back().fields.push_back(field(text));
        }
    }
    return found;
}

std::vector<Field> columns(const Strings& lines) {
    static const std::regex form("(\\d+)  (\\w+) ([uif]\\d+|char)(?:\\[(\\d+)\\])?");
    std::vector<Field> found;
    for (const std::string& line : lines) {
        if (!is_code(line)) {
            continue;
        }
        for (std::sregex_iterator match(line.begin(), line.end(), form); match != std::sregex_iterator(); ++match) {
            found.push_back(typed((*match)[2], std::stol((*match)[1]), (*match)[3], (*match)[4]));
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Field& one, const Field& other) { return one.offset < other.offset; });
    return found;
}

}  // namespace protocol
