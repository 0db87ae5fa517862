// SPDX-License-Identifier: BSD-3-Clause
#include "job/veth.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {
namespace {

constexpr const char* kSegmentation = "tx-tcp-segmentation";  // as the kernel names the feature since Linux 2.6.39

class Ethtool {
  public:
    explicit Ethtool(const std::string& interface) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        interface.copy(request_.ifr_name, IFNAMSIZ - 1);
    }

    std::string driver() {
        ethtool_drvinfo info = {};
        info.cmd = ETHTOOL_GDRVINFO;
        return ask(&info) ? info.driver : "";
    }

    // Whether the feature of that name can be switched on and off here. Features have no fixed numbers.
    std::optional<bool> offers(const char* feature) {
        const std::vector<std::string> names = feature_names();
        const auto found = std::find(names.begin(), names.end(), feature);
        if (found == names.end()) {
            return std::nullopt;
        }
        const auto number = static_cast<size_t>(found - names.begin());
        const size_t blocks = (names.size() + 31) / 32;
        std::vector<uint32_t> answer((sizeof(ethtool_gfeatures) + blocks * sizeof(ethtool_get_features_block)) / 4);
        auto* const features = reinterpret_cast<ethtool_gfeatures*>(answer.data());
        features->cmd = ETHTOOL_GFEATURES;
        features->size = static_cast<uint32_t>(blocks);
        if (!ask(features)) {
            return std::nullopt;
        }
        return (features->features[number / 32].available >> (number % 32) & 1) != 0;
    }

  private:
    bool ask(void* command) {
        request_.ifr_data = static_cast<char*>(command);
        return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
    }

    std::vector<std::string> feature_names() {
        uint32_t question[(sizeof(ethtool_sset_info) + sizeof(uint32_t)) / 4] = {};
        auto* const sets = reinterpret_cast<ethtool_sset_info*>(question);
        sets->cmd = ETHTOOL_GSSET_INFO;
        sets->sset_mask = 1ull << ETH_SS_FEATURES;
        if (!ask(sets) || sets->sset_mask == 0) {
            return {};
        }
        const uint32_t count = sets->data[0];
        std::vector<uint32_t> answer((sizeof(ethtool_gstrings) + size_t{count} * ETH_GSTRING_LEN) / 4);
        auto* const strings = reinterpret_cast<ethtool_gstrings*>(answer.data());
        strings->cmd = ETHTOOL_GSTRINGS;
        strings->string_set = ETH_SS_FEATURES;
        strings->len = count;
        if (!ask(strings)) {
            return {};
        }
        std::vector<std::string> names;
        for (uint32_t i = 0; i < std::min(count, strings->len); i++) {
            const auto* const name = reinterpret_cast<const char*>(strings->data) + size_t{i} * ETH_GSTRING_LEN;
            names.emplace_back(name, ::strnlen(name, ETH_GSTRING_LEN));
        }
        return names;
    }

    UniqueFd socket_;
    ifreq request_ = {};
};

}  // namespace

bool is_veth(const std::string& interface) {
    return Ethtool(interface).driver() == "veth";
}

bool veth_swallows_answers(const std::string& interface) {
    Ethtool ethtool(interface);
    return ethtool.driver() == "veth" && ethtool.offers(kSegmentation).value_or(false);
}

std::string swallowed_answers_text(const std::string& interface) {
    return fmt::format(
        "{} is a veth whose other end runs no XDP program, so the kernel does not deliver what the NIC program "
        "answers: "
        "attach a program that passes everything at the other end, or use --transport udp",
        interface);
}

}  // namespace syncline
