// SPDX-License-Identifier: BSD-3-Clause
// The operations of the runtime on the segments of all processes, by offset. If one of them fails, a process that held
// a part of the shared memory is gone, and the memory is lost: the call then never returns.
#pragma once

#include <functional>
#include <utility>

#include "dsm/core/layout.h"
#include "runtime/endpoint/endpoint.h"

namespace syncline::dsm {

class Remote {
  public:
    // `lost` does not return.
    Remote(Endpoint* endpoint, syncline_address_t base, std::function<void(int)> lost)
        : endpoint_(endpoint), base_(base), lost_(std::move(lost)) {}

    uint32_t me() const { return endpoint_->rank(); }
    uint32_t processes() const { return endpoint_->size(); }
    Endpoint& endpoint() const { return *endpoint_; }
    syncline_address_t address(uint64_t offset) const { return base_ + offset; }
    // Returns this process's own bytes.
    uint8_t* own(uint64_t offset) const { return static_cast<uint8_t*>(endpoint_->memory().local(base_ + offset)); }
    uint64_t* own_word(uint64_t offset) const { return reinterpret_cast<uint64_t*>(own(offset)); }

    void check(int status) const {
        if (__builtin_expect(status != SYNCLINE_OK, 0)) {
            lost_(status);
        }
    }

    void get(uint32_t process, uint64_t offset, void* target, size_t bytes) const {
        check(endpoint_->bulk().get(static_cast<int>(process), base_ + offset, target, bytes));
    }
    void put(uint32_t process, uint64_t offset, const void* source, size_t bytes) const {
        check(endpoint_->bulk().put(static_cast<int>(process), base_ + offset, source, bytes));
    }
    // Each returns the old value.
    uint64_t compare_swap(uint32_t process, uint64_t offset, uint64_t comparand, uint64_t value) const {
        return atomic(SYNCLINE_CAS, process, offset, value, comparand);
    }
    uint64_t fetch_add(uint32_t process, uint64_t offset, uint64_t value) const {
        return atomic(SYNCLINE_ADD, process, offset, value, 0);
    }
    uint64_t fetch_or(uint32_t process, uint64_t offset, uint64_t bits) const {
        return atomic(SYNCLINE_OR, process, offset, bits, 0);
    }
    uint64_t fetch_and(uint32_t process, uint64_t offset, uint64_t bits) const {
        return atomic(SYNCLINE_AND, process, offset, bits, 0);
    }

    // Operations that are under way together. The library has copied the sources when a call returns; targets are
    // written once finish() has returned.
    class Together {
      public:
        explicit Together(const Remote* remote) : remote_(remote), batch_(batches().open()) {}
        ~Together() { batches().close(batch_); }
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;

        void get(uint32_t process, uint64_t offset, void* target, size_t bytes) {
            remote_->check(batches().get(batch_, static_cast<int>(process), remote_->address(offset), target, bytes));
        }
        void put(uint32_t process, uint64_t offset, const void* source, size_t bytes) {
            remote_->check(batches().put(batch_, static_cast<int>(process), remote_->address(offset), source, bytes));
        }
        // The pieces' offsets count from `offset`; their bytes lie one behind the other.
        void put_pieces(uint32_t process, uint64_t offset, const syncline_piece_t* pieces, size_t count,
                        uint8_t* source) {
            move_pieces(Direction::kPut, process, offset, pieces, count, source);
        }
        void get_pieces(uint32_t process, uint64_t offset, const syncline_piece_t* pieces, size_t count, void* target) {
            move_pieces(Direction::kGet, process, offset, pieces, count, static_cast<uint8_t*>(target));
        }
        void finish() { remote_->check(batches().complete(batch_)); }

      private:
        void move_pieces(Direction direction, uint32_t process, uint64_t offset, const syncline_piece_t* pieces,
                         size_t count, uint8_t* local) {
            remote_->check(batches().move_pieces(
                batch_, direction, {static_cast<int>(process), remote_->address(offset), pieces, count, local}));
        }
        Batches& batches() const { return remote_->endpoint().batches(); }

        const Remote* const remote_;
        Batch* const batch_;
    };

  private:
    uint64_t atomic(int operation, uint32_t process, uint64_t offset, uint64_t operand, uint64_t comparand) const {
        uint64_t old = 0;
        AtomicCall call = {.operation = operation | SYNCLINE_64 | SYNCLINE_FETCH,
                           .rank = static_cast<int>(process),
                           .target = base_ + offset};
        call.operand[0] = operand;
        call.comparand[0] = comparand;
        call.result = &old;
        check(endpoint_->atomics().execute(call));
        return old;
    }

    Endpoint* const endpoint_;
    const syncline_address_t base_;
    const std::function<void(int)> lost_;
};

}  // namespace syncline::dsm
