// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/layout.h"

#include "api/armci/error.h"

namespace syncline::armci {

Section::Section(const Names& names, const void* local, const void* remote, int bytes) {
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    if (bytes == 0) {
        return;
    }
    if (local == nullptr || remote == nullptr) {
        refuse("{} is NULL", local == nullptr ? names.local : names.remote);
    }
    first_ = {static_cast<uint8_t*>(const_cast<void*>(local)), static_cast<uint8_t*>(const_cast<void*>(remote)),
              static_cast<uint64_t>(bytes)};
    rows_ = left_ = 1;
    remote_extent_ = first_.bytes;
    here_ = first_;
}

Section::Section(const Names& names, const void* local, const int* local_strides, const void* remote,
                 const int* remote_strides, const int* count, int levels) {
    check(names, local_strides, remote_strides, count, levels);
    for (int level = 0; level <= levels; level++) {
        if (count[level] == 0) {
            return;
        }
    }
    if (local == nullptr || remote == nullptr) {
        refuse("{} is NULL", local == nullptr ? names.local : names.remote);
    }
    first_ = {static_cast<uint8_t*>(const_cast<void*>(local)), static_cast<uint8_t*>(const_cast<void*>(remote)),
              static_cast<uint64_t>(count[0])};
    rows_ = 1;
    remote_extent_ = first_.bytes;
    for (int level = 1; level <= levels; level++) {
        add_level(names, level, count[level], local_strides[level - 1], remote_strides[level - 1]);
    }
    left_ = rows_;
    here_ = first_;
}

void Section::check(const Names& names, const int* local_strides, const int* remote_strides, const int* count,
                    int levels) {
    if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL) {
        refuse("levels is {}, and 0 to {} are possible", levels, ARMCI_MAX_STRIDE_LEVEL);
    }
    if (count == nullptr) {
        refuse("count is NULL");
    }
    if (levels > 0 && (local_strides == nullptr || remote_strides == nullptr)) {
        refuse("{} is NULL", local_strides == nullptr ? names.local_strides : names.remote_strides);
    }
    for (int level = 0; level <= levels; level++) {
        if (count[level] < 0) {
            refuse("count[{}] is {}", level, count[level]);
        }
    }
    for (int level = 0; level < levels; level++) {
        if (local_strides[level] < 0 || remote_strides[level] < 0) {
            const bool here = local_strides[level] < 0;
            refuse("{}[{}] is {}", here ? names.local_strides : names.remote_strides, level,
                   here ? local_strides[level] : remote_strides[level]);
        }
    }
}

// Rows that adjoin on both sides become one row.
void Section::add_level(const Names& names, int level, int count, int local_stride, int remote_stride) {
    const Level added = {static_cast<uint64_t>(count), static_cast<uint64_t>(local_stride),
                         static_cast<uint64_t>(remote_stride)};
    uint64_t local_extent = 0, remote_extent = 0, total = 0;
    if (__builtin_mul_overflow(added.count - 1, added.local_stride, &local_extent) ||
        __builtin_mul_overflow(added.count - 1, added.remote_stride, &remote_extent) ||
        __builtin_add_overflow(remote_extent_, remote_extent, &remote_extent_) ||
        __builtin_mul_overflow(bytes(), added.count, &total) || total > INT64_MAX || local_extent > INT64_MAX ||
        remote_extent_ > INT64_MAX) {
        refuse("count[{}] of {} with {}[{}] of {} and {}[{}] of {} are more than any memory holds", level, count,
               names.local_strides, level - 1, local_stride, names.remote_strides, level - 1, remote_stride);
    }
    if (depth_ == 0 && added.local_stride == first_.bytes && added.remote_stride == first_.bytes) {
        first_.bytes *= added.count;
        return;
    }
    rows_ *= added.count;
    if (added.count > 1) {
        levels_[static_cast<size_t>(depth_++)] = added;
    }
}

bool Section::next(Row* row) {
    if (left_ == 0) {
        return false;
    }
    *row = here_;
    left_--;
    for (size_t level = 0; level < static_cast<size_t>(depth_) && left_ != 0; level++) {
        const Level& of = levels_[level];
        here_.local += of.local_stride;
        here_.remote += of.remote_stride;
        if (++at_[level] < of.count) {
            break;
        }
        here_.local -= of.count * of.local_stride;
        here_.remote -= of.count * of.remote_stride;
        at_[level] = 0;
    }
    return true;
}

List::List(const Names& names, const armci_giov_t& entry, int index, bool source_is_local)
    : names_(names), index_(index) {
    if (entry.bytes < 0 || entry.ptr_array_len < 0) {
        const bool of_bytes = entry.bytes < 0;
        refuse("pieces[{}].{} is {}", index, of_bytes ? "bytes" : "ptr_array_len",
               of_bytes ? entry.bytes : entry.ptr_array_len);
    }
    if (entry.bytes == 0 || entry.ptr_array_len == 0) {
        return;
    }
    if (entry.src_ptr_array == nullptr || entry.dst_ptr_array == nullptr) {
        refuse("pieces[{}].{} is NULL", index, entry.src_ptr_array == nullptr ? "src_ptr_array" : "dst_ptr_array");
    }
    local_ = source_is_local ? entry.src_ptr_array : entry.dst_ptr_array;
    remote_ = source_is_local ? entry.dst_ptr_array : entry.src_ptr_array;
    count_ = entry.ptr_array_len;
    bytes_ = static_cast<uint64_t>(entry.bytes);
}

bool List::next(Row* row) {
    if (at_ == count_) {
        return false;
    }
    if (local_[at_] == nullptr || remote_[at_] == nullptr) {
        refuse("the {} of piece {} of pieces[{}] is NULL", local_[at_] == nullptr ? names_.local : names_.remote, at_,
               index_);
    }
    *row = {static_cast<uint8_t*>(local_[at_]), static_cast<uint8_t*>(remote_[at_]), bytes_};
    at_++;
    return true;
}

}  // namespace syncline::armci
