// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/settings.h"

#include <grp.h>
#include <net/if.h>
#include <sched.h>

#include "base/failure.h"

namespace syncline {

Group find_group(const std::string& name) {
    const group* const found = ::getgrnam(name.c_str());
    if (found == nullptr) {
        fail(SYNCLINE_ERR_INVALID, "names the group '{}', which this machine does not have", name);
    }
    return {found->gr_gid, name};
}

void check_cpu(int64_t cpu) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (cpu < 0 || cpu >= CPU_SETSIZE ||
        (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && !CPU_ISSET(static_cast<size_t>(cpu), &allowed))) {
        fail(SYNCLINE_ERR_INVALID, "names CPU {}, on which the daemon may not run", cpu);
    }
}

void check_interface(const std::string& name) {
    if (name != default_route &&
        (name.empty() || name.size() >= IFNAMSIZ || name.find_first_of("/: \t\n") != std::string::npos)) {
        fail(SYNCLINE_ERR_INVALID, "names '{}', which no interface can be called", name);
    }
}

}  // namespace syncline
