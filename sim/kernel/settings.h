// SPDX-License-Identifier: BSD-3-Clause
// Settings of a simulated machine: every parameter is named once, in the visit() of its model, and is read, checked,
// listed and written from there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace syncline::sim {

using Value = std::variant<bool, int64_t, double, std::string>;
using Values = std::map<std::string, Value>;  // by dotted key, as in "host.latency_ns"

// Returns the shortest text that reads back as the same value.
std::string text_of(const Value& value);

// A parameter, as a visitor sees it. `help` is one line for users.
class Visitor {
  public:
    virtual void count(const char* key, uint64_t* value, uint64_t least, uint64_t most, const char* help) = 0;
    virtual void number(const char* key, double* value, double least, double most, const char* help) = 0;
    virtual void flag(const char* key, bool* value, const char* help) = 0;
    virtual void text(const char* key, std::string* value, const char* help) = 0;
    virtual void choice_index(const char* key, int* value, std::span<const char* const> names, const char* help) = 0;

    // Nanoseconds, up to a second.
    void cost(const char* key, double* ns, const char* help) { number(key, ns, 0, 1e9, help); }

    template <typename Enum>
    void choice(const char* key, Enum* value, std::span<const char* const> names, const char* help) {
        int index = static_cast<int>(*value);
        choice_index(key, &index, names, help);
        *value = static_cast<Enum>(index);
    }

  protected:
    ~Visitor() = default;
};

// Takes parameters from `values`. Throws Failure at a value of the wrong kind or out of bounds.
class Reader final : public Visitor {
  public:
    explicit Reader(const Values& values) : values_(values) {}

    void count(const char* key, uint64_t* value, uint64_t least, uint64_t most, const char* help) override;
    void number(const char* key, double* value, double least, double most, const char* help) override;
    void flag(const char* key, bool* value, const char* help) override;
    void text(const char* key, std::string* value, const char* help) override;
    void choice_index(const char* key, int* value, std::span<const char* const> names, const char* help) override;

    // Throws Failure if no parameter has taken some key of `values`.
    void finish() const;

  private:
    const Value* find(const char* key);

    const Values& values_;
    std::set<std::string> known_;
};

// Collects all parameters with the values they have.
class Lister final : public Visitor {
  public:
    struct Line {
        std::string key;
        Value value;
        std::string help;  // with the bounds or the choices
    };

    void count(const char* key, uint64_t* value, uint64_t least, uint64_t most, const char* help) override;
    void number(const char* key, double* value, double least, double most, const char* help) override;
    void flag(const char* key, bool* value, const char* help) override;
    void text(const char* key, std::string* value, const char* help) override;
    void choice_index(const char* key, int* value, std::span<const char* const> names, const char* help) override;

    const std::vector<Line>& lines() const { return lines_; }

  private:
    std::vector<Line> lines_;
};

}  // namespace syncline::sim
