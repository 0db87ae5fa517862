// SPDX-License-Identifier: BSD-3-Clause
// NumPy arrays as memory of the job: where an array of this PE lies in the symmetric heap, and so at every other PE.
#pragma once

#include <syncline.h>

#include <vector>

#include "numpy_interface.h"

namespace syncline_python {

// The argument, which must be a NumPy array.
PyArrayObject* array_of(nb::handle argument);

// From init() to finalize(): which PEs are near, and where memory has been allocated, so that a call on an element need
// not ask the library.
struct KnownMemory {
    std::vector<char> near_pes;
    uintptr_t heap_base = 0;  // where address 0 would be
    syncline_address_t heap_begin = 0;
    syncline_address_t heap_end = 0;

    // The address of own memory, if has() says so.
    syncline_address_t address_of(const void* data) const { return reinterpret_cast<uintptr_t>(data) - heap_base; }
    bool has(syncline_address_t address) const { return address - heap_begin < heap_end - heap_begin; }
};
inline KnownMemory known;
void forget_job();
void remember_pes(syncline_address_t any_word);
void remember_allocation(syncline_address_t address, size_t bytes);

// The address of own memory; raises where it is not symmetric.
syncline_address_t address_of(const void* data);

// Is the PE's memory mapped here? A call on it ends at once then.
inline bool is_near(long long pe) {
    return static_cast<size_t>(pe) < known.near_pes.size() && known.near_pes[static_cast<size_t>(pe)] != 0;
}

// Whole numbers as arguments. nanobind's own conversion takes longer, and takes no other types where a call has two
// forms.
Py_ssize_t index_of(nb::handle index);
int pe_of(nb::handle pe);

// One element by its number in the order of C; a negative one counts from the end, as in NumPy.
char* element_of(PyArrayObject* array, Py_ssize_t index);

// The memory of an array: one run of bytes, or the runs of a view that leaves gaps.
struct Range {
    syncline_address_t base = 0;
    std::vector<syncline_piece_t> pieces;  // in the order of the elements
    size_t bytes = 0;

    bool is_one() const { return pieces.size() == 1; }
    syncline_address_t start() const { return base + pieces[0].offset; }
};
Range range_of(PyArrayObject* array);

// `value` as an array with the shape and type of `target`, each element behind the other; broadcast and cast as NumPy's
// assignment does, but no number becomes one of another kind.
nb::object values_for(PyArrayObject* target, nb::handle value);

// A new array with the shape and type of `source`.
nb::object empty_like(PyArrayObject* source);

// Up to this length a copy within a node takes no longer than letting go of the GIL.
inline constexpr size_t near_bytes_max = 4096;

inline bool ends_at_once(int pe, const Range& range) {
    return range.bytes <= near_bytes_max && is_near(pe);
}

// One number of an array's type, as bytes: to be sent, or received.
class Scalar {
  public:
    // Reads `value` as an assignment to an element would; a number with a fraction is no whole number.
    Scalar(PyArrayObject* array, nb::handle value);
    explicit Scalar(PyArrayObject* array);

    void* bytes() { return bytes_; }
    size_t size() const { return static_cast<size_t>(PyArray_ITEMSIZE(array_)); }
    template <typename Word>
    Word& word() {
        return *reinterpret_cast<Word*>(bytes_);
    }
    nb::object value();

  private:
    static constexpr size_t size_max = 64;

    PyArrayObject* const array_;
    alignas(16) char bytes_[size_max];
};

}  // namespace syncline_python
