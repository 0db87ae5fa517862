// SPDX-License-Identifier: BSD-3-Clause
// A message to a process's handler: its kind, then fields one behind the other, in the byte order of the machine. The
// header that serves a kind lists its fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/failure.h"

namespace syncline::dsm {

enum class Kind : uint8_t {
    kReply,    // handler.h
    kFetch,    // page_server.h
    kTouch,    // page_server.h
    kDiff,     // page_server.h
    kAcquire,  // lock_server.h
    kForward,  // lock_server.h
    kTried,    // lock_server.h
    kArrive,   // barrier_server.h
    kNews,     // barrier_server.h
};
constexpr size_t kinds = 9;

class Message {
  public:
    explicit Message(Kind kind) : bytes_{static_cast<uint8_t>(kind)} {}

    template <typename Field>
    Message& add(const Field& field) {
        static_assert(std::is_trivially_copyable_v<Field>);
        return add_bytes(&field, sizeof(field));
    }
    Message& add_bytes(const void* bytes, size_t count);
    // Overwrites a field that was added at `place`, which was size() then.
    template <typename Field>
    void set(size_t place, const Field& field) {
        std::memcpy(bytes_.data() + place, &field, sizeof(field));
    }

    size_t size() const { return bytes_.size(); }
    const std::vector<uint8_t>& bytes() const { return bytes_; }

  private:
    std::vector<uint8_t> bytes_;
};

// Takes fields in the order in which they were added. Throws Failure if the message is shorter.
class Reader {
  public:
    explicit Reader(std::span<const uint8_t> bytes) : left_(bytes) {}

    template <typename Field>
    Field take() {
        static_assert(std::is_trivially_copyable_v<Field>);
        Field field;
        std::memcpy(&field, take_bytes(sizeof(field)), sizeof(field));
        return field;
    }
    const uint8_t* take_bytes(size_t count) {
        if (count > left_.size()) {
            fail(SYNCLINE_ERR_PROTOCOL, "a message of the shared memory is damaged: {} bytes are left of it, not {}",
                 left_.size(), count);
        }
        const uint8_t* const bytes = left_.data();
        left_ = left_.subspan(count);
        return bytes;
    }
    std::span<const uint8_t> rest() const { return left_; }

  private:
    std::span<const uint8_t> left_;
};

// A thread that waits for a reply: its process, and the number of its call.
struct Caller {
    uint32_t process;
    uint32_t number;
};

}  // namespace syncline::dsm
