// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/transfer.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "api/armci/batch.h"
#include "api/armci/state.h"

namespace syncline::armci {
namespace {

struct Get {
    syncline_request_t request;
    uint64_t handle;
    int process;
    syncline_address_t block;      // that holds the first row
    std::vector<uint8_t> arrived;  // the data, if the rows do not adjoin here
    std::vector<Row> rows;         // rows to be filled from `arrived`
};

// The puts or gets of one process that an aggregate handle has collected.
struct Collection {
    Kind kind = Kind::kPut;
    int process = -1;
    std::vector<Row> rows;
    uint64_t bytes = 0;
};

constexpr size_t collected_rows_max = 2048;
constexpr uint64_t collected_bytes_max = 64 << 10;

std::list<Get> gets;
std::map<uint64_t, Collection> collections;  // by the handle's number
std::vector<uint8_t> scratch;

class RowsOf {
  public:
    explicit RowsOf(const std::vector<Row>& rows) : rows_(rows) {}
    bool next(Row* row) {
        if (at_ == rows_.size()) {
            return false;
        }
        *row = rows_[at_++];
        return true;
    }

  private:
    const std::vector<Row>& rows_;
    size_t at_ = 0;
};

// The rows of an accumulate whose numbers are aligned at the target, or the rows whose numbers are not. All numbers of
// a row are alike.
template <typename Rows>
class Chosen {
  public:
    Chosen(const Rows& rows, const NumberType& type, bool aligned) : rows_(rows), type_(type), aligned_(aligned) {}
    bool next(Row* row) {
        while (rows_.next(row)) {
            if (type_.is_aligned(row->remote) == aligned_) {
                return true;
            }
        }
        return false;
    }

  private:
    Rows rows_;
    const NumberType& type_;
    const bool aligned_;
};

// Returns whether the row's numbers, if it has some, are aligned at the target.
bool is_aligned(const Operation& what, const Row& row) {
    if (what.kind != Kind::kAccumulate) {
        return true;
    }
    if (row.bytes % what.type->bytes != 0) {
        refuse("{} bytes are no whole numbers of {} bytes", row.bytes, what.type->bytes);
    }
    return what.type->is_aligned(row.remote);
}

void copy_row(Kind kind, const Row& row) {
    kind == Kind::kPut ? std::memcpy(row.remote, row.local, row.bytes) : std::memcpy(row.local, row.remote, row.bytes);
}

void copy_by_library(const Operation& what, const Row& row, syncline_address_t address) {
    check(what.kind == Kind::kPut ? syncline_put(what.process, address, row.local, row.bytes)
                                  : syncline_get(what.process, address, row.local, row.bytes));
}

syncline_address_t address_of(const Row& row, const Operation& what) {
    return block_of(names_of(what.kind).remote, row.remote, row.bytes, what.process).address_of(row.remote);
}

// Transfers on this node. The library's call for the first row finds out whether the process lives.
template <typename Rows>
void copy_here(const Operation& what, Rows rows) {
    constexpr uint64_t long_row = 4096;  // for longer rows, a call of the library costs little beside the copy
    bool first = true;
    for (Row row; rows.next(&row); first = false) {
        if (first || row.bytes >= long_row) {
            copy_by_library(what, row, address_of(row, what));
        } else {
            copy_row(what.kind, row);
        }
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <typename Rows>
void add_here(const Operation& what, Rows rows) {
    for (Row row; rows.next(&row);) {
        state().sums->add(what.process, address_of(row, what), row, *what.type, what.scale);
    }
}

void start_write(const Operation& what, const Batch& batch, bool blocking) {
    const bool scales = what.kind == Kind::kAccumulate && !what.type->is_one(what.scale);
    const uint8_t* values = batch.rows[0].local;
    if (!batch.one_part || scales) {
        batch.gather_into(&scratch);
        values = scratch.data();
    }
    if (scales) {
        what.type->multiply(scratch.data(), batch.total, what.scale);
    }
    syncline_request_t request = 0;
    const syncline_piece_t& piece = batch.pieces[0];
    const size_t count = batch.pieces.size();
    const syncline_address_t first = batch.base + piece.offset;
    int status = 0;
    if (what.kind == Kind::kAccumulate) {
        status = count == 1 ? syncline_accumulate_nb(what.process, first, what.type->element, values,
                                                     batch.total / what.type->bytes, 0, &request)
                            : syncline_accumulate_pieces_nb(what.process, batch.base, what.type->element, &piece, count,
                                                            values, 0, &request);
    } else {
        status = count == 1 ? syncline_put_nb(what.process, first, values, batch.total, 0, &request)
                            : syncline_put_pieces_nb(what.process, batch.base, &piece, count, values, 0, &request);
    }
    check(status);
    if (batch.is_mapped) {
        check(syncline_wait(request));  // the request is complete
    } else {
        state().writes.add({what.process, batch.low, batch.high}, blocking, request);
    }
}

void get_now(const Operation& what, const Batch& batch) {
    uint8_t* values = batch.rows[0].local;
    if (!batch.one_part) {
        scratch.resize(std::max(scratch.size(), batch.total));
        values = scratch.data();
    }
    const syncline_piece_t& piece = batch.pieces[0];
    check(batch.pieces.size() == 1
              ? syncline_get(what.process, batch.base + piece.offset, values, batch.total)
              : syncline_get_pieces(what.process, batch.base, &piece, batch.pieces.size(), values));
    if (!batch.one_part) {
        scatter(batch.rows, values);
    }
}

void start_get(const Operation& what, Batch* batch, uint64_t handle) {
    Get& get = gets.emplace_back(Get{0, handle, what.process, batch->block, {}, {}});
    uint8_t* values = batch->rows[0].local;
    if (!batch->one_part) {
        get.arrived.resize(batch->total);
        get.rows = std::move(batch->rows);
        values = get.arrived.data();
    }
    const syncline_piece_t& piece = batch->pieces[0];
    check(
        batch->pieces.size() == 1
            ? syncline_get_nb(what.process, batch->base + piece.offset, values, batch->total, 0, &get.request)
            : syncline_get_pieces_nb(what.process, batch->base, &piece, batch->pieces.size(), values, 0, &get.request));
}

auto block_finder(const Operation& what) {
    return [&what](const Row& row) -> const Block& {
        return block_of(names_of(what.kind).remote, row.remote, row.bytes, what.process);
    };
}

template <typename Rows>
void add_misaligned(const Operation& what, Rows rows) {
    static Batch batch;
    batch.ascends = true;
    state().writes.order(what.process);
    while (batch.fill(&rows, block_finder(what))) {
        state().writes.order({what.process, batch.low, batch.high});
        state().misaligned_sums->add(what.process, batch, *what.type, what.scale);
    }
}

template <typename Rows>
void move_in_batches(const Operation& what, Rows rows, const Returning& returning) {
    static Batch batch;
    state().writes.order(what.process);
    while (batch.fill(&rows, block_finder(what))) {
        state().writes.order({what.process, batch.low, batch.high});
        if (what.kind != Kind::kGet) {
            start_write(what, batch, returning.waits);
        } else if (returning.waits) {
            get_now(what, batch);
        } else {
            start_get(what, &batch, returning.handle);
        }
    }
}

void start_collected(uint64_t handle, Collection* collection) {
    if (!collection->rows.empty()) {
        const Operation what = {.kind = collection->kind, .process = collection->process};
        move_in_batches(what, RowsOf(collection->rows), {.waits = false, .collects = false, .handle = handle});
        collection->rows.clear();
        collection->bytes = 0;
    }
}

template <typename Rows>
void collect(const Operation& what, Rows rows, uint64_t handle) {
    Collection& collection = collections[handle];
    if (collection.kind != what.kind || collection.process != what.process) {
        start_collected(handle, &collection);
    }
    collection.kind = what.kind;
    collection.process = what.process;
    for (Row row; rows.next(&row);) {
        collection.rows.push_back(row);
        collection.bytes += row.bytes;
    }
    if (collection.rows.size() >= collected_rows_max || collection.bytes >= collected_bytes_max) {
        start_collected(handle, &collection);
    }
}

struct Found {
    bool is_mapped;
    bool is_aligned;  // for all rows
};

template <typename Rows>
void move_rows(const Operation& what, const Rows& rows, const Found& found, const Returning& returning) {
    if (found.is_mapped && what.kind != Kind::kAccumulate) {
        copy_here(what, rows);
    } else if (found.is_mapped && state().sums->serves(*what.type)) {
        add_here(what, rows);
    } else if (returning.collects && what.kind != Kind::kAccumulate) {
        collect(what, rows, returning.handle);
    } else if (found.is_aligned) {
        move_in_batches(what, rows, returning);
    } else {
        move_in_batches(what, Chosen(rows, *what.type, true), returning);
        add_misaligned(what, Chosen(rows, *what.type, false));
    }
}

void start_collected_of(const Which& which) {
    for (auto one = collections.begin(); one != collections.end();) {
        if (which.covers(one->first, one->second.process)) {
            start_collected(one->first, &one->second);
            one = collections.erase(one);
        } else {
            ++one;
        }
    }
}

}  // namespace

void move(const Operation& what, Section section, const Returning& returning) {
    check_process(what.process);
    if (section.is_empty()) {
        return;
    }
    const Row& first = section.first();
    const Block& block = block_of(names_of(what.kind).remote, first.remote, section.remote_extent(), what.process);
    if (section.is_one_row() && block.is_mapped && what.kind != Kind::kAccumulate) {
        copy_by_library(what, first, block.address_of(first.remote));
        return;
    }
    Found found = {.is_mapped = block.is_mapped, .is_aligned = true};
    if (what.kind == Kind::kAccumulate) {
        Section all = section;
        for (Row row; all.next(&row);) {
            found.is_aligned = is_aligned(what, row) && found.is_aligned;
        }
    }
    move_rows(what, section, found, returning);
}

void move(const Operation& what, const List& list, const Returning& returning) {
    check_process(what.process);
    Found found = {.is_mapped = false, .is_aligned = true};
    List all = list;
    for (Row row; all.next(&row);) {
        found.is_mapped = block_of(names_of(what.kind).remote, row.remote, row.bytes, what.process).is_mapped;
        found.is_aligned = is_aligned(what, row) && found.is_aligned;
    }
    move_rows(what, list, found, returning);
}

bool finish_gets(const Which& which, bool waits) {
    start_collected_of(which);
    bool all = true;
    for (auto get = gets.begin(); get != gets.end();) {
        if (!which.covers(get->handle, get->process)) {
            ++get;
            continue;
        }
        int done = 1;
        check(waits ? syncline_wait(get->request) : syncline_test(get->request, &done));
        if (done == 0) {
            all = false;
            ++get;
            continue;
        }
        scatter(get->rows, get->arrived.data());
        get = gets.erase(get);
    }
    return all;
}

bool is_getting_from(int process, syncline_address_t block) {
    return std::any_of(gets.begin(), gets.end(),
                       [&](const Get& get) { return get.process == process && get.block == block; });
}

void complete(int process) {
    (void)finish_gets({.handle = 0, .process = process}, true);
    state().writes.finish(process);
}

void complete_all() {
    (void)finish_gets({}, true);
    state().writes.finish_all();
}

}  // namespace syncline::armci
