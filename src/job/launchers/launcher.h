// SPDX-License-Identifier: BSD-3-Clause
// A launcher serves the processes that it has started together: it numbers them, says which of them share a node, and
// carries a few bytes from each to all. One thread of a process uses it at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace syncline {

class Launcher {
  public:
    using Bytes = std::vector<uint8_t>;

    // Entries in the environment of its processes: all of them have "PMIX_NAMESPACE=...", and behind "PMIX_RANK=" each
    // has its rank.
    struct Marks {
        std::string launch;
        std::string rank;
    };
    struct Ended {
        uint32_t rank;
        std::string machine;
    };
    // A process that waits calls it now and then, with the time. It may throw.
    using Meanwhile = std::function<void(uint64_t)>;

    virtual ~Launcher() = default;

    virtual uint32_t rank() const = 0;
    virtual uint32_t ranks() const = 0;
    // Returns the launcher's own number of a rank; the two differ if only some of its processes make a job.
    virtual uint32_t number_of(uint32_t rank) const { return rank; }
    // Returns the ranks of this process's node, ascending.
    virtual const std::vector<uint32_t>& ranks_here() const = 0;

    // Shows bytes under a name; exchange() makes all earlier bytes readable to all. All throw Failure.
    virtual void show(const std::string& name, const Bytes& bytes) = 0;
    // Returns when all processes have called it, or throws after `timeout_ms`.
    virtual void exchange(uint32_t timeout_ms, const Meanwhile& meanwhile) = 0;
    // Returns the bytes that `rank` had shown before the last exchange; nothing if it has shown none.
    virtual std::optional<Bytes> shown_by(uint32_t rank, const std::string& name) = 0;

    virtual Marks marks() const = 0;
    // Returns a process that has ended, if the launcher knows one; it may answer only when it is asked again.
    virtual std::optional<Ended> ended() = 0;

    // Called when the next call may take long to come: releases resources that another library of this process may need
    // meanwhile.
    virtual void rest() {}

    // Ends all processes, this one too, as soon as the launcher can.
    virtual void abort(int code) = 0;
};

}  // namespace syncline
