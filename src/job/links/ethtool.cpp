// SPDX-License-Identifier: BSD-3-Clause
#include "job/links/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace syncline {

Ethtool::Ethtool(const std::string& interface) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    interface.copy(request_.ifr_name, IFNAMSIZ - 1);
}

std::string Ethtool::driver() {
    ethtool_drvinfo info = {};
    info.cmd = ETHTOOL_GDRVINFO;
    return ask(&info) ? info.driver : "";
}

std::optional<bool> Ethtool::offers(const char* feature) {
    return bit_of(feature, false);
}

std::optional<bool> Ethtool::has(const char* feature) {
    return bit_of(feature, true);
}

// Looks the bit up by the feature's name, because features have no fixed numbers.
std::optional<bool> Ethtool::bit_of(const char* feature, bool active) {
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
    const ethtool_get_features_block& block = features->features[number / 32];
    return ((active ? block.active : block.available) >> (number % 32) & 1) != 0;
}

bool Ethtool::ask(void* command) {
    request_.ifr_data = static_cast<char*>(command);
    return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
}

std::vector<std::string> Ethtool::feature_names() {
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

}  // namespace syncline
