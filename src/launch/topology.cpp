// SPDX-License-Identifier: BSD-3-Clause
#include "launch/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/failure.h"

namespace syncline {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Machine = std::unique_ptr<hwloc_topology, Destroy>;

// Firmware that describes a machine wrongly makes hwloc complain on stderr, also where PEs are then not bound. The PEs
// inherit none of this.
class QuietHwloc {
  public:
    QuietHwloc() { ::setenv(name, "2", 0); }
    ~QuietHwloc() {
        if (!was_set_) {
            ::unsetenv(name);
        }
    }
    QuietHwloc(const QuietHwloc&) = delete;
    QuietHwloc& operator=(const QuietHwloc&) = delete;

  private:
    static constexpr const char* name = "HWLOC_HIDE_ERRORS";
    const bool was_set_ = std::getenv(name) != nullptr;
};

// Hwloc also counts the CPUs that a cpuset keeps from this process: so a core has one name for all processes.
Machine read_machine() {
    hwloc_topology_t read = nullptr;
    if (hwloc_topology_init(&read) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "hwloc does not start");
    }
    Machine machine(read);
    hwloc_topology_set_all_types_filter(read, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(read, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(read, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    // The x86 component complains on stderr under valgrind. The kernel tells all that is asked for here.
    (void)hwloc_topology_set_components(read, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    const QuietHwloc quiet;
    if (hwloc_topology_set_flags(read, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 || hwloc_topology_load(read) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "hwloc cannot read the topology of this machine");
    }
    return machine;
}

uint32_t number_of(hwloc_obj_t object) {
    return object != nullptr ? object->logical_index : 0;
}

}  // namespace

// Some virtual machines and boards say nothing about cores: there each CPU counts as one.
Topology topology_of(hwloc_topology* machine, const std::optional<Cpus>& allowed) {
    Topology topology;
    topology.cpus_of_machine = static_cast<uint32_t>(hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU));
    hwloc_obj_t last = nullptr;
    for (hwloc_obj_t cpu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, 0); cpu != nullptr; cpu = cpu->next_cousin) {
        if (allowed && !std::binary_search(allowed->begin(), allowed->end(), cpu->os_index)) {
            continue;
        }
        const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, cpu);
        const hwloc_obj_t unit = core != nullptr ? core : cpu;
        if (unit != last) {
            const hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, cpu);
            const auto first = static_cast<uint32_t>(hwloc_bitmap_first(unit->cpuset));
            topology.cores.push_back({unit->logical_index, number_of(socket), first, {}});
            last = unit;
        }
        topology.cores.back().cpus.push_back(cpu->os_index);
    }
    for (Core& core : topology.cores) {
        std::sort(core.cpus.begin(), core.cpus.end());
    }
    return topology;
}

Topology read_topology() {
    const Machine machine = read_machine();
    const bool is_this_machine = hwloc_topology_is_thissystem(machine.get()) != 0;
    Topology topology = topology_of(machine.get(), is_this_machine ? std::optional(own_cpus()) : std::nullopt);
    topology.is_this_machine = is_this_machine;
    return topology;
}

}  // namespace syncline
