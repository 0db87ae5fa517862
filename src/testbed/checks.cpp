// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/checks.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>

#include "base/counted.h"
#include "base/failure.h"

namespace syncline::testbed {
namespace {

constexpr size_t name_max = 64;

struct Capability {
    unsigned number;
    const char* name;
    const char* why;
};

// The kernel accepts CAP_SYS_ADMIN in place of CAP_BPF, too.
constexpr Capability needed_capabilities[] = {
    {CAP_NET_ADMIN, "CAP_NET_ADMIN", "to make links"},
    {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "to make network namespaces"},
};

void check_rate(const char* name, double rate) {
    if (!(rate >= 0.0 && rate <= 1.0)) {  // also refuses NaN
        fail(SYNCLINE_ERR_INVALID, "the {} rate {} is not a probability: give a number from 0 to 1", name, rate);
    }
}

void check_mtus(const Options& options) {
    const size_t given = options.mtus.size();
    if (given < 1 || given > static_cast<size_t>(options.nodes)) {
        fail(SYNCLINE_ERR_INVALID, "a test bed with {} cannot have {} MTUs: give 1 to {}",
             counted(static_cast<uint64_t>(options.nodes), "node"), given, options.nodes);
    }
    for (const int mtu : options.mtus) {
        if (mtu < mtu_min || mtu > mtu_max) {
            fail(SYNCLINE_ERR_INVALID, "a node's link cannot have an MTU of {}: give {} to {}", mtu, +mtu_min,
                 +mtu_max);
        }
    }
}

}  // namespace

void check_privilege() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "capget() failed");
    }
    for (const Capability& needed : needed_capabilities) {
        if ((sets[needed.number / 32].effective & (1u << (needed.number % 32))) == 0) {
            fail(SYNCLINE_ERR_PERMISSION, "a test bed needs {} {}, and this process lacks it{}", needed.name,
                 needed.why, ::geteuid() == 0 ? ", although it is root" : ": run this as root");
        }
    }
}

std::vector<int> parse_mtus(const std::string& text) {
    std::vector<int> mtus;
    for (const char* at = text.data(); at != text.data() + text.size() + 1;) {
        const auto [end, error] = std::from_chars(at, text.data() + text.size(), mtus.emplace_back());
        const bool is_last = end == text.data() + text.size();
        if (error != std::errc() || mtus.back() < mtu_min || mtus.back() > mtu_max || (!is_last && *end != ',')) {
            fail(SYNCLINE_ERR_INVALID,
                 "'{}' is no MTU: give {} to {}, or one for each of several nodes, as in 9000,1500", text, +mtu_min,
                 +mtu_max);
        }
        at = end + 1;
    }
    return mtus;
}

void check_name(const std::string& name) {
    bool good = !name.empty() && name.size() <= name_max && name[0] != '-';
    for (const char c : name) {
        good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_');
    }
    if (!good) {
        fail(SYNCLINE_ERR_INVALID,
             "'{}' cannot name a test bed: give 1 to {} letters, digits, '-' or '_', not starting with '-'", name,
             name_max);
    }
}

void check_faults(const Faults& faults, SwitchKind kind) {
    check_rate("loss", faults.loss);
    check_rate("duplicate", faults.duplicate);
    check_rate("reorder", faults.reorder);
    check_rate("corrupt", faults.corrupt);
    if (kind == SwitchKind::kBridge && faults.any()) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "the Linux bridge cannot lose, duplicate, reorder or corrupt frames: use the XDP switch for "
             "faults");
    }
}

void check_options(const Options& options) {
    if (options.nodes < 1 || options.nodes > nodes_max) {
        fail(SYNCLINE_ERR_INVALID, "a test bed cannot have {} nodes: give 1 to {}", options.nodes, +nodes_max);
    }
    check_mtus(options);
    if (!options.name.empty()) {
        check_name(options.name);
    }
    check_faults(options.faults, options.kind);
}

}  // namespace syncline::testbed
