// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bulk/ratios.h"

namespace syncline::bench {

namespace {

constexpr int long_frames_mtu = 9000;

struct Operand {
    const char* subject;
    const char* condition;
};

// How the first number is compared with the second.
enum class RatioKind { kTimes, kPercentMore, kPercent };

constexpr const char* unit_of(RatioKind kind) {
    return kind == RatioKind::kTimes ? "times" : kind == RatioKind::kPercentMore ? "% more" : "%";
}

struct RatioForm {
    const char* name;
    const char* title;
    Operand over, under;
    RatioKind kind = RatioKind::kTimes;
    bool at_most = true;
    std::optional<double> wanted = {};        // the limit where links carry frames of 9000 bytes
    std::optional<double> wanted_short = {};  // the limit where they carry shorter ones
};

const RatioForm ratio_forms[] = {
    {"fetch_add_over_bare",
     "fetch&add to a bare round trip",
     {"fetch_add", conditions::xdp},
     {"fetch_add", conditions::bare},
     RatioKind::kTimes,
     true,
     1.25,
     1.25},
    {"get_4k_over_fetch_add",
     "get 4 KiB to fetch&add",
     {"get_4k", conditions::xdp},
     {"fetch_add", conditions::xdp},
     RatioKind::kTimes,
     true,
     2},
    {"put_1m_peer",
     "put 1 MiB, Open MPI to xdp",
     {"put_1m", conditions::peer},
     {"put_1m", conditions::xdp},
     RatioKind::kTimes,
     false,
     2,
     1.3},
    {"auth_fetch_add",
     "authentication of fetch&add",
     {"fetch_add", conditions::tagged},
     {"fetch_add", conditions::xdp},
     RatioKind::kPercentMore,
     true,
     15,
     15},
    {"auth_get_4k",
     "authentication of get 4 KiB",
     {"get_4k", conditions::tagged},
     {"get_4k", conditions::xdp},
     RatioKind::kPercentMore,
     true,
     40,
     40},
    {"auth_put_1m",
     "authentication of put 1 MiB",
     {"put_1m", conditions::tagged},
     {"put_1m", conditions::xdp},
     RatioKind::kPercentMore,
     true,
     40,
     40},
    {"accumulate_computing_peer",
     "accumulate, target computes, Open MPI to xdp",
     {"accumulate_computing", conditions::peer},
     {"accumulate_computing", conditions::xdp},
     RatioKind::kTimes,
     false,
     5,
     5},
    {"accumulate_waiting_peer",
     "accumulate, target waits, Open MPI to xdp",
     {"accumulate_waiting", conditions::peer},
     {"accumulate_waiting", conditions::xdp}},
    {"undisturbed",
     "work of the target while accumulates arrive, of that alone",
     {"target_work", conditions::loaded},
     {"target_work", conditions::alone},
     RatioKind::kPercent},
    {"put_64x8_each",
     "64 puts of 8 bytes to one list",
     {"put_64x8", conditions::each},
     {"put_64x8", conditions::pieces}},
    {"put_64x64_each",
     "64 puts of 64 bytes to one list",
     {"put_64x64", conditions::each},
     {"put_64x64", conditions::pieces}},
    {"put_64x512_each",
     "64 puts of 512 bytes to one list",
     {"put_64x512", conditions::each},
     {"put_64x512", conditions::pieces}},
    {"get_64x8_each",
     "64 gets of 8 bytes to one list",
     {"get_64x8", conditions::each},
     {"get_64x8", conditions::pieces}},
    {"get_64x64_each",
     "64 gets of 64 bytes to one list",
     {"get_64x64", conditions::each},
     {"get_64x64", conditions::pieces}},
    {"get_64x512_each",
     "64 gets of 512 bytes to one list",
     {"get_64x512", conditions::each},
     {"get_64x512", conditions::pieces}},
};

double ratio_value(RatioKind kind, double over, double under) {
    switch (kind) {
        case RatioKind::kPercentMore:
            return (over / under - 1) * 100;
        case RatioKind::kPercent:
            return over / under * 100;
        default:
            return over / under;
    }
}

}  // namespace

std::vector<Ratio> ratios_of(const Measured& measured, int mtu) {
    std::vector<Ratio> ratios;
    for (const RatioForm& form : ratio_forms) {
        const std::vector<Statement> over = measured.rounds(form.over.subject, form.over.condition);
        const std::vector<Statement> under = measured.rounds(form.under.subject, form.under.condition);
        if (over.empty() || under.empty()) {
            continue;
        }
        std::vector<double> rounds;
        for (size_t i = 0; i < over.size(); i++) {
            rounds.push_back(ratio_value(form.kind, over[i].median, under[i].median));
        }
        ratios.push_back({form.name, form.title, unit_of(form.kind), mtu, rounds, quantile(rounds, 0.5),
                          mtu >= long_frames_mtu ? form.wanted : form.wanted_short, form.at_most});
    }
    return ratios;
}

}  // namespace syncline::bench
