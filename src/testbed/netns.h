// SPDX-License-Identifier: BSD-3-Clause
// Network namespaces as file descriptors.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace syncline::testbed {

// Puts the calling thread into another network namespace for the lifetime of this object.
class NetnsScope {
  public:
    explicit NetnsScope(int netns_fd);
    ~NetnsScope();
    NetnsScope(const NetnsScope&) = delete;
    NetnsScope& operator=(const NetnsScope&) = delete;

  private:
    UniqueFd home_;
};

// Makes a new namespace that lives as long as something refers to it: this descriptor, a thread in it, or a mount.
UniqueFd create_netns();

// Gives a namespace a name, as `ip netns add` does: a bind mount at /run/netns/<name>. Throws
// SYNCLINE_ERR_BUSY if the name is taken.
void name_netns(int netns_fd, const std::string& name);
UniqueFd open_named_netns(const std::string& name);
// Does nothing if there is no such name.
void remove_named_netns(const std::string& name);

inline constexpr const char* netns_directory = "/run/netns";

}  // namespace syncline::testbed
