// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a transfer lie: rows of consecutive bytes, at this process and at the other. A section of an array
// describes the rows by strides, a list names them one by one.
#pragma once

#include <array>
#include <cstdint>

#include "armci.h"

namespace syncline::armci {

struct Row {
    uint8_t* local;
    uint8_t* remote;
    uint64_t bytes;
};

// The call's names of its arguments. For a put, `source` is local and `target` remote; for a get it is the reverse.
struct Names {
    const char *local, *remote, *local_strides, *remote_strides;
};

// The rows of a section, the innermost level first.
class Section {
  public:
    // Refuses arguments that make no sense.
    Section(const Names& names, const void* local, const int* local_strides, const void* remote,
            const int* remote_strides, const int* count, int levels);
    // A section of one row.
    Section(const Names& names, const void* local, const void* remote, int bytes);

    bool is_empty() const { return rows_ == 0; }
    bool is_one_row() const { return rows_ == 1; }
    // Returns the first row; it is empty if the section is.
    const Row& first() const { return first_; }
    uint64_t bytes() const { return rows_ * first_.bytes; }
    // Returns the distance from the first byte at the other process to the end of the last one.
    uint64_t remote_extent() const { return remote_extent_; }

    // Returns the next row, beginning with the first one; false behind the last one.
    bool next(Row* row);

  private:
    struct Level {
        uint64_t count, local_stride, remote_stride;
    };
    void check(const Names& names, const int* local_strides, const int* remote_strides, const int* count, int levels);
    void add_level(const Names& names, int level, int count, int local_stride, int remote_stride);

    Row first_ = {};
    uint64_t rows_ = 0;
    uint64_t remote_extent_ = 0;
    std::array<Level, ARMCI_MAX_STRIDE_LEVEL> levels_ = {};  // the levels whose rows do not adjoin
    int depth_ = 0;

    std::array<uint64_t, ARMCI_MAX_STRIDE_LEVEL> at_ = {};
    Row here_ = {};
    uint64_t left_ = 0;
};

// The pieces of one entry of a list.
class List {
  public:
    // Refuses arguments that make no sense; it does not check addresses.
    List(const Names& names, const armci_giov_t& entry, int index, bool source_is_local);
    bool next(Row* row);

  private:
    const Names names_;
    void* const* local_ = nullptr;
    void* const* remote_ = nullptr;
    const int index_;
    int count_ = 0;
    uint64_t bytes_ = 0;
    int at_ = 0;
};

}  // namespace syncline::armci
