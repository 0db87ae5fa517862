// SPDX-License-Identifier: BSD-3-Clause
// Compares the simulator's event kernel with SimGrid's: an actor for each packet, which sleeps for each hop. This
// leaves out mailboxes and network, so SimGrid can do no less for a hop. A second of SimGrid stands for a nanosecond,
// because SimGrid's precision is absolute.
#include <simgrid/s4u.hpp>

#include "bench/micro/event_kernels.h"

namespace {

using namespace syncline::event_kernels;
namespace s4u = simgrid::s4u;

void hop(Traffic* traffic, uint32_t packet) {
    s4u::this_actor::sleep_for(static_cast<double>(Traffic::start_ps(packet)) / 1000);
    for (traffic->events++; traffic->left != 0; traffic->events++) {
        traffic->left--;
        (void)traffic->prng.below(traffic->nodes);
        s4u::this_actor::sleep_for(static_cast<double>(traffic->delay_ps()) / 1000);
    }
}

void run_simgrid(const Size& size, int* argc, char** argv) {
    s4u::Engine engine(argc, argv);
    s4u::Engine::set_config("contexts/stack-size:16");
    s4u::Engine::set_config("contexts/guard-size:0");  // a guard is a mapping for each actor: too many
    s4u::NetZone* const zone = s4u::create_empty_zone("world");
    std::vector<s4u::Host*> hosts;
    for (uint32_t i = 0; i < size.nodes; i++) {
        hosts.push_back(zone->create_host(fmt::format("node{}", i), 1e9));
    }
    zone->seal();
    Traffic traffic{size.nodes};
    const std::clock_t begun = std::clock();
    for (uint32_t i = 0; i < size.packets; i++) {
        s4u::Actor::create(fmt::format("packet{}", i), hosts[i % size.nodes], hop, &traffic, i);
    }
    engine.run();
    report("SimGrid", traffic, size.packets, begun);
}

}  // namespace

int main(int argc, char** argv) {
    const Size size = size_of(argc, argv);
    run_own(size.nodes, size.packets);
    run_simgrid(size, &argc, argv);
    return 0;
}
