// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/cluster/machine.h"

namespace syncline::sim {

namespace {

uint64_t processes_of(const ClusterParameters& p) {
    const bool few = p.workload == ClusterWorkload::kLock && p.contenders != 0;
    return few ? p.contenders : p.nodes;
}

}  // namespace

ClusterMachine::ClusterMachine(const ClusterParameters& parameters, ClusterClient* client)
    : p_(parameters),
      client_(client),
      processes_each_(p_.cpus == 0 ? 1 : (processes_of(p_) + p_.cpus - 1) / p_.cpus),
      // With several processes on a CPU, the one that something has come for has to be scheduled first.
      receive_ns_(p_.receive_ns + (processes_each_ > 1 ? p_.switch_ns : 0)),
      processes_(p_.cpus != 0 ? p_.cpus : p_.nodes),
      servers_(p_.nodes),
      nics_(p_.nodes),
      buses_(p_.nodes),
      links_(p_.nodes),
      ready_(p_.cpus),
      served_(p_.nodes) {}

void ClusterMachine::schedule(Time when, Stage stage, Place to, const Message& message) {
    uint32_t index = static_cast<uint32_t>(flights_.size());
    if (free_.empty()) {
        flights_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    flights_[index] = {message, stage, to};
    kernel_.at(when, this, index);
}

Time ClusterMachine::over_bus(uint32_t node, Time when, uint64_t transfers) {
    if (transfers == 0) {
        return when;
    }
    buses_[node] = std::max(buses_[node], when) + transfers * from_ns(p_.bus_ns);
    return buses_[node];
}

// Onto the link at `when`, and to the other NIC.
void ClusterMachine::cross(Time when, Place to, const Message& message) {
    if (message.from == message.to) {
        schedule(when, Stage::kArrive, to, message);
        return;
    }
    messages_++;
    Server& link = links_[message.from];
    link =
        std::max(link, when) + transfer_time(static_cast<double>(p_.packet_bytes) + message.bytes, p_.gigabytes_per_s);
    schedule(link + from_ns(p_.wire_ns), Stage::kArrive, to, message);
}

// A server that has had nothing to do for a while sleeps.
double ClusterMachine::server_cost(uint32_t node) {
    const bool asleep = kernel_.now() > served_[node] + from_ns(p_.server_spin_ns);
    return p_.server_ns + (asleep ? p_.wake_ns : 0);
}

void ClusterMachine::send(Place from, Place to, const Message& message) {
    if (from == Place::kNic) {
        cross(serve(nic(message.from), p_.make_ns), to, message);
        return;
    }
    const Time when = serve(from == Place::kProcess ? process(message.from) : server(message.from), p_.send_ns);
    if (from == Place::kServer) {
        served_[message.from] = when;
    }
    const bool direct = message.from == message.to && to != Place::kNic;
    schedule(when, direct ? Stage::kTake : Stage::kFetch, to, message);
}

void ClusterMachine::start_nic(const Message& message) {
    schedule(serve(process(message.to), p_.send_ns), Stage::kToken, Place::kNic, message);
}

void ClusterMachine::tell_process(const Message& message) {
    schedule(over_bus(message.to, serve(nic(message.to), p_.finish_ns)), Stage::kTake, Place::kProcess, message);
}

// Processes of this one's CPU that poll in vain.
uint64_t ClusterMachine::waiting(uint32_t node) const {
    return processes_each_ - std::min(processes_each_, 1 + ready_[node % p_.cpus]);
}

// Something has come for a process that polls. Those that wait on the same CPU have a turn each before it; they keep no
// NIC from working meanwhile.
void ClusterMachine::notice(const Message& message) {
    if (p_.cpus == 0) {
        turn(message);
        return;
    }
    const uint64_t others = std::max<uint64_t>(waiting(message.to), 1) - 1;
    ready_[message.to % p_.cpus]++;
    schedule(kernel_.now() + others * from_ns(p_.switch_ns), Stage::kTurn, Place::kProcess, message);
}

void ClusterMachine::turn(const Message& message) {
    schedule(serve(process(message.to), receive_ns_), Stage::kTaken, Place::kProcess, message);
}

void ClusterMachine::work(double ns, const Message& message) {
    if (p_.cpus != 0) {
        ready_[message.to % p_.cpus]++;
    }
    schedule(serve(process(message.to), ns), Stage::kTaken, Place::kProcess, message);
}

void ClusterMachine::handle(uint64_t what) {
    const InFlight flight = flights_[what];
    free_.push_back(static_cast<uint32_t>(what));
    const Message& message = flight.message;
    switch (flight.stage) {
        case Stage::kFetch:
            schedule(over_bus(message.from, serve(nic(message.from), p_.fetch_ns)), Stage::kSend, flight.to, message);
            break;
        case Stage::kSend:
            cross(serve(nic(message.from), p_.nic_send_ns), flight.to, message);
            break;
        case Stage::kArrive:
            if (flight.to == Place::kNic) {
                schedule(over_bus(message.to, serve(nic(message.to), p_.execute_ns), p_.atomic_transfers),
                         Stage::kTaken, Place::kNic, message);
            } else {
                schedule(over_bus(message.to, serve(nic(message.to), p_.deliver_ns)), Stage::kTake, flight.to, message);
            }
            break;
        case Stage::kToken:
            schedule(over_bus(message.to, serve(nic(message.to), p_.token_ns)), Stage::kTaken, Place::kNic, message);
            break;
        case Stage::kTake:
            if (flight.to == Place::kServer) {
                const Time done = serve(server(message.to), server_cost(message.to));
                served_[message.to] = done;
                schedule(done, Stage::kTaken, Place::kServer, message);
            } else {
                notice(message);
            }
            break;
        case Stage::kTurn:
            turn(message);
            break;
        case Stage::kTaken:
            if (p_.cpus != 0 && flight.to == Place::kProcess) {
                ready_[message.to % p_.cpus]--;
            }
            client_->receive(flight.to, message);
            break;
    }
}

}  // namespace syncline::sim
