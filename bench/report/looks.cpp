// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/looks.h"

#include <iterator>
#include <map>

namespace syncline::bench {

namespace {

constexpr const char* blue = "#0072b2";
constexpr const char* sky = "#56b4e9";
constexpr const char* green = "#009e73";
constexpr const char* orange = "#d55e00";
constexpr const char* amber = "#e69f00";
constexpr const char* purple = "#cc79a7";
constexpr const char* black = "#24292f";

// Numbers of gnuplot.
enum PointShape {
    kCross = 2,
    kOpenSquare = 4,
    kSquare,
    kOpenCircle,
    kCircle,
    kOpenTriangle,
    kTriangle,
    kDown = 11,
    kDiamond = 13
};
enum Dashes { kSolid = 1, kDashed, kDotted, kDashDot };

// Their numbers have no factor in common, so that many series go by before two look the same.
constexpr const char* colours[] = {blue, orange, green, purple, amber, sky, black};
constexpr int points[] = {kCircle,     kSquare,       kTriangle, kDiamond, kOpenSquare,
                          kOpenCircle, kOpenTriangle, kDown,     kCross};
constexpr int dashes[] = {kSolid, kDashed, kDashDot, kDotted};

struct NamedLook {
    const char* label;
    Look look;
};

// Blues are the NIC's, oranges the host's.
const std::map<std::string, NamedLook> named_looks = {
    {"xdp", {"XDP", {blue, kCircle, kSolid}}},
    {"xdp+auth", {"XDP, authenticated", {sky, kOpenCircle, kDashed}}},
    {"xdp-on-target-cpu", {"XDP on the target's CPU", {green, kTriangle, kDashDot}}},
    {"udp-poll", {"host agent, polls", {amber, kOpenSquare, kDashed}}},
    {"udp-spin-block", {"host agent, spins then blocks", {purple, kDiamond, kDashDot}}},
    {"udp-block", {"host agent, blocks", {orange, kSquare, kSolid}}},
    {"nic exchange", {"NICs, exchange", {blue, kCircle, kSolid}}},
    {"nic tree", {"NICs, tree", {sky, kOpenCircle, kDashed}}},
    {"host exchange", {"hosts, exchange", {orange, kSquare, kSolid}}},
    {"host tree", {"hosts, tree", {amber, kOpenSquare, kDashed}}},
    {"xdp acknowledged", {"XDP, acknowledged", {blue, kCircle, kSolid}}},
    {"xdp counts", {"XDP, counts", {sky, kOpenCircle, kDashed}}},
    {"xdp linear", {"XDP, one by one", {green, kTriangle, kDashDot}}},
    {"udp-block acknowledged", {"host agent, acknowledged", {orange, kSquare, kSolid}}},
    {"udp-block counts", {"host agent, counts", {amber, kOpenSquare, kDashed}}},
    {"udp-block linear", {"host agent, one by one", {purple, kDiamond, kDashDot}}},
    {"openmpi shm", {"Open MPI", {orange, kSquare, kDashed}}},
    {"openmpi tcp", {"Open MPI over TCP", {orange, kSquare, kDashed}}},
    {"armci-mpi shm", {"ARMCI-MPI", {orange, kSquare, kDashed}}},
    {"armci-mpi tcp", {"ARMCI-MPI over TCP", {orange, kSquare, kDashed}}},
    {"syncline xdp", {"Syncline over XDP", {blue, kCircle, kSolid}}},
    {"syncline xdp no-auth", {"Syncline over XDP, not authenticated", {blue, kCircle, kSolid}}},
    {"syncline", {"Syncline", {blue, kCircle, kSolid}}},
    {"hpcc", {"HPCC over Open MPI", {orange, kSquare, kDashed}}},
    {"nic", {"nic", {blue, kCircle, kSolid}}},
    {"ardmar", {"ardmar", {green, kOpenTriangle, kDashed}}},
    {"async", {"async", {orange, kSquare, kSolid}}},
    {"library", {"fetch&add", {purple, kDiamond, kDashDot}}},
    {"bare", {"bare round trip", {black, kCross, kDotted}}},
    {"xdp mcs", {"MCS, XDP", {blue, kCircle, kSolid}}},
    {"udp-poll mcs", {"MCS, host agent, polls", {amber, kOpenSquare, kDashed}}},
    {"udp-block mcs", {"MCS, host agent, blocks", {orange, kSquare, kSolid}}},
    {"xdp local-release", {"local release", {green, kTriangle, kDashed}}},
    {"xdp ticket", {"ticket", {purple, kDiamond, kDashDot}}},
    {"xdp hybrid", {"hybrid", {black, kOpenTriangle, kDotted}}},
    {"pieces", {"one call", {blue, kCircle, kSolid}}},
    {"each", {"64 calls and a quiet", {orange, kSquare, kDashed}}},
    {"original GA_Sync", {"Syncline, original GA_Sync", {green, kTriangle, kDashDot}}},
    {"cpu", {"the CPU's instruction", {black, kCross, kDotted}}},
};

}  // namespace

Look look_of(size_t number) {
    return {colours[number % std::size(colours)], points[number % std::size(points)],
            dashes[number % std::size(dashes)]};
}

Look look_of(const std::string& series, size_t number) {
    const auto found = named_looks.find(series);
    return found != named_looks.end() ? found->second.look : look_of(number);
}

std::string label_of(const std::string& series) {
    const auto found = named_looks.find(series);
    return found != named_looks.end() ? found->second.label : series;
}

}  // namespace syncline::bench
