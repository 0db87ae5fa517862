// SPDX-License-Identifier: BSD-3-Clause
// docs/PROTOCOL.md as sections, tables and lists of fields.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace protocol {

using Strings = std::vector<std::string>;

// A field as the page states it: `offset` is -1 where fields simply follow each other.
struct Field {
    std::string name;
    long offset;
    size_t bytes;    // length of all its elements
    size_t element;  // length of one element
    char kind;       // u, i, f: a number; c: char; s: a structure

    bool operator==(const Field& other) const = default;
};
std::ostream& operator<<(std::ostream& out, const Field& field);

struct Layout {
    std::string name;
    size_t bytes;  // 0: the page does not say
    std::vector<Field> fields;
};

class Document {
  public:
    explicit Document(const std::string& path);

    const std::string& text() const { return text_; }
    // Returns the lines between the heading `title` and the next heading of any level. `nth` selects one of several
    // headings with that title.
    Strings section(const std::string& title, int nth = 0) const;

  private:
    std::string text_;
    Strings lines_;
};

// Returns the cells of the rows of the first table in `lines` whose first column is headed `head`.
std::vector<Strings> table(const Strings& lines, const std::string& head);

// Reads lines of the form "name 720 word u64 @0, results u64[88] @16, locks[64] of 32 @64", which may continue in
// further lines.
std::vector<Layout> layouts(const Strings& lines);
// Reads lines of the form "Name token u64, job u32", whose fields follow each other.
std::vector<Layout> messages(const Strings& lines);
// Reads entries of the form "48 udp_port u32", several in a line.
std::vector<Field> columns(const Strings& lines);

}  // namespace protocol
