// SPDX-License-Identifier: BSD-3-Clause
// One actor of a random program: does its operations on a machine, and compares everything that it reads with the
// expected values.
#pragma once

#include <string>
#include <vector>

#include "machine.h"
#include "program.h"

namespace syncline::dsm_test {

// Returns the bytes of a variable at a version, which follow from the seed.
class Mirror {
  public:
    Mirror(uint64_t seed, uint32_t number, const Variable& variable)
        : seed_(seed), number_(number), variable_(variable), bytes_(variable.bytes()) {}

    struct Range {
        uint32_t first;
        uint32_t count;
    };
    uint64_t version() const { return version_; }
    const Variable& variable() const { return variable_; }
    uint8_t* element(uint32_t element) { return bytes_.data() + uint64_t{element} * variable_.element_bytes; }
    // Returns the elements that change from one version to the next.
    Range step();
    void advance(uint64_t version) {
        while (version_ < version) {
            step();
        }
    }

  private:
    const uint64_t seed_;
    const uint32_t number_;
    const Variable variable_;
    std::vector<uint8_t> bytes_;
    uint64_t version_ = 0;
};

class Actor {
  public:
    Actor(const Program* program, uint32_t number, Machine* machine);
    void run();

  private:
    void execute(const Operation& operation);
    void execute_synchronisation(const Operation& operation);
    void read(uint32_t variable, uint64_t version);
    void write(uint32_t variable, uint64_t version);
    void store(Mirror* mirror, Mirror::Range range);
    void load(const Variable& variable, Mirror::Range range, uint8_t* to);
    void use_guarded(const Program::Guarded& guarded, uint32_t number, bool writes);
    void use_token(uint64_t* token);
    void hear(uint32_t lock, uint64_t phase);
    void give(uint64_t box);
    void take(uint64_t box);
    void put(const Operation& operation);
    void get(const Program::Pool& pool);
    uint64_t pop(uint64_t at, size_t count_max);
    void push(uint64_t at, uint64_t token);
    void check_all();
    void check_tokens(std::vector<bool>* found);
    uint64_t load_word(uint64_t at);
    void store_word(uint64_t at, uint64_t value) { machine_->store(at, &value, sizeof(value)); }
    void check_token(uint64_t token, const std::vector<uint32_t>& variables, const char* where);
    [[noreturn]] void wrong(const std::string& what);

    const Program* const program_;
    const uint32_t number_;
    Machine* const machine_;
    Prng prng_;
    std::vector<Mirror> mirrors_;
    std::vector<uint64_t> pocket_;
    std::vector<uint64_t> heard_;           // for each rumour: the last version
    std::vector<uint64_t> seen_, changes_;  // for each guarded variable: the last version; this actor's changes
    size_t at_ = 0;                         // index of its present operation
};

}  // namespace syncline::dsm_test
