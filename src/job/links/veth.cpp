// SPDX-License-Identifier: BSD-3-Clause
#include "job/links/veth.h"

#include <fmt/format.h>

#include "job/links/ethtool.h"

namespace syncline {
namespace {

constexpr const char* segmentation_feature = "tx-tcp-segmentation";  // the kernel's name for it since Linux 2.6.39

}  // namespace

bool is_veth(const std::string& interface) {
    return Ethtool(interface).driver() == "veth";
}

bool veth_swallows_answers(const std::string& interface) {
    Ethtool ethtool(interface);
    return ethtool.driver() == "veth" && ethtool.offers(segmentation_feature).value_or(false);
}

std::string swallowed_answers_text(const std::string& interface) {
    return fmt::format(
        "{} is a veth whose other end runs no XDP program, so the kernel does not deliver what the NIC program "
        "answers: "
        "attach a program that passes everything at the other end, or use --transport udp",
        interface);
}

}  // namespace syncline
