// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/crowd.h"

#include <bit>

#include "base/clock.h"
#include "base/os.h"

namespace syncline {
namespace {

constexpr uint64_t interval_ns = 10 * ns_per_ms;

CpuSet load(const fw_port& port) {
    CpuSet set;
    for (int i = 0; i < 4; i++) {
        set.bits[i] = __atomic_load_n(&port.cpus[i], __ATOMIC_RELAXED);
    }
    return set;
}

int count(const CpuSet& set) {
    int cpus = 0;
    for (const uint64_t word : set.bits) {
        cpus += std::popcount(word);
    }
    return cpus;
}

bool overlap(const CpuSet& one, const CpuSet& other) {
    uint64_t common = 0;
    for (int i = 0; i < 4; i++) {
        common |= one.bits[i] & other.bits[i];
    }
    return common != 0;
}

}  // namespace

Crowd::Crowd(Attachment* attachment) : attachment_(attachment) {
    look();
}

Crowd::~Crowd() {
    for (uint64_t& word : attachment_->tables().ports[attachment_->port()].cpus) {
        __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
    }
}

void Crowd::publish() const {
    const CpuSet own = allowed_cpus();
    for (int i = 0; i < 4; i++) {
        __atomic_store_n(&attachment_->tables().ports[attachment_->port()].cpus[i], own.bits[i], __ATOMIC_RELAXED);
    }
}

void Crowd::look() {
    const uint64_t now = now_ns();
    const uint64_t before = looked_at_ns_.load(std::memory_order_relaxed);
    if (before != 0 && now < before + interval_ns) {
        return;
    }
    looked_at_ns_.store(now, std::memory_order_relaxed);
    publish();
    const JobSpec& spec = attachment_->job().spec;
    const CpuSet own = load(attachment_->tables().ports[attachment_->port()]);
    int sharing = 0;
    for (uint32_t port = 0; port < spec.config.ports; port++) {
        sharing += overlap(own, load(attachment_->tables().ports[port])) ? 1 : 0;
    }
    const bool machine_is_full = spec.shared_cpus != 0 && spec.config.ranks > spec.shared_cpus;
    crowded_.store(machine_is_full || sharing > count(own), std::memory_order_relaxed);
}

}  // namespace syncline
