// SPDX-License-Identifier: BSD-3-Clause
// The part of rtnetlink that a test bed needs: requests with nested attributes, sent in batches. Direct communication
// with the kernel saves a process per link and gives the exact error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline::testbed {

class NetlinkRequest {
  public:
    // `what` completes the message "<what> failed".
    template <typename Body>
    NetlinkRequest(uint16_t type, uint16_t flags, const Body& body, std::string what)
        : NetlinkRequest(type, flags, &body, sizeof body, std::move(what)) {}

    NetlinkRequest& add(uint16_t type, const void* data, size_t bytes);
    NetlinkRequest& add_text(uint16_t type, const std::string& text);
    template <typename Value>
    NetlinkRequest& add_value(uint16_t type, const Value& value) {
        return add(type, &value, sizeof value);
    }
    // Attributes that are added between begin() and end() are nested inside this one.
    size_t begin(uint16_t type);
    void end(size_t nest);
    // Some attributes hold a plain structure before their nested attributes.
    void append(const void* data, size_t bytes);

    const std::string& what() const { return what_; }
    // Returns the bytes to send, with the length filled in.
    std::vector<uint8_t>& finish(uint32_t sequence, bool acknowledge);

  private:
    NetlinkRequest(uint16_t type, uint16_t flags, const void* body, size_t bytes, std::string what);

    std::vector<uint8_t> bytes_;
    std::string what_;
};

// A connection to the network namespace that the thread was in when it was made.
class Rtnetlink {
  public:
    Rtnetlink();

    void execute(NetlinkRequest& request);
    // Executes all requests; if one fails, an unknown part of them has been executed, and the first failure is thrown.
    void execute(std::vector<NetlinkRequest>& requests);
    // Sends a request that the kernel answers by one message, and returns the bytes behind its nlmsghdr.
    std::vector<char> ask(NetlinkRequest& request);

  private:
    std::vector<char> receive(const std::string& what);
    void send_chunk(NetlinkRequest* first, size_t count);
    void await_last(const NetlinkRequest* first, size_t count, uint32_t sequence);

    UniqueFd socket_;
    uint32_t sequence_ = 0;
};

}  // namespace syncline::testbed
