// SPDX-License-Identifier: BSD-3-Clause
// The kernel's facts about an interface in the caller's network namespace, as ethtool shows them.
#pragma once

#include <net/if.h>

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class Ethtool {
  public:
    explicit Ethtool(const std::string& interface);

    // Returns "" if the kernel does not tell.
    std::string driver();
    // Returns whether the feature of that name can be switched on and off here; nothing if there is none of that name.
    std::optional<bool> offers(const char* feature);
    // Returns whether the feature is on.
    std::optional<bool> has(const char* feature);

  private:
    bool ask(void* command);
    std::vector<std::string> feature_names();
    std::optional<bool> bit_of(const char* feature, bool active);

    UniqueFd socket_;
    ifreq request_ = {};
};

}  // namespace syncline
