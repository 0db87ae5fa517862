// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/cluster/machine.h"

namespace syncline::sim::cluster {

namespace {

uint64_t processes_of(const Parameters& p) {
    const bool few = p.workload.kind == WorkloadKind::kLock && p.workload.contenders != 0;
    return few ? p.workload.contenders : p.workload.nodes;
}

}  // namespace

Machine::Machine(const Parameters& parameters, Client* client)
    : p_(parameters),
      client_(client),
      processes_each_(p_.machine.cpus == 0 ? 1 : (processes_of(p_) + p_.machine.cpus - 1) / p_.machine.cpus),
      // With several processes on a CPU, a process for which a message has come has to be scheduled first.
      receive_ns_(p_.host.receive_ns + (processes_each_ > 1 ? p_.machine.switch_ns : 0)),
      processes_(p_.machine.cpus != 0 ? p_.machine.cpus : p_.workload.nodes),
      servers_(p_.workload.nodes),
      nics_(p_.workload.nodes),
      buses_(p_.workload.nodes),
      links_(p_.workload.nodes),
      ready_(p_.machine.cpus),
      served_(p_.workload.nodes) {}

void Machine::schedule(Time when, Stage stage, Place to, const Message& message) {
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

Time Machine::over_bus(uint32_t node, Time when, uint64_t transfers) {
    if (transfers == 0) {
        return when;
    }
    buses_[node] = std::max(buses_[node], when) + transfers * from_ns(p_.bus.latency_ns);
    return buses_[node];
}

// Puts a message onto the link at `when`, and brings it to the other NIC.
void Machine::cross(Time when, Place to, const Message& message) {
    if (message.from == message.to) {
        schedule(when, Stage::kArrive, to, message);
        return;
    }
    messages_++;
    Server& link = links_[message.from];
    link = std::max(link, when) +
           transfer_time(static_cast<double>(p_.network.packet_bytes) + message.bytes, p_.network.bandwidth_gbps);
    schedule(link + from_ns(p_.network.wire_ns), Stage::kArrive, to, message);
}

// A server that has had nothing to do for a while sleeps.
double Machine::server_cost(uint32_t node) {
    const bool asleep = kernel_.now() > served_[node] + from_ns(p_.server.spin_ns);
    return p_.server.execute_ns + (asleep ? p_.server.wake_ns : 0);
}

void Machine::send(Place from, Place to, const Message& message) {
    if (from == Place::kNic) {
        cross(serve(nic(message.from), p_.nic.make_ns), to, message);
        return;
    }
    const Time when = serve(from == Place::kProcess ? process(message.from) : server(message.from), p_.host.send_ns);
    if (from == Place::kServer) {
        served_[message.from] = when;
    }
    const bool direct = message.from == message.to && to != Place::kNic;
    schedule(when, direct ? Stage::kTake : Stage::kFetch, to, message);
}

void Machine::start_nic(const Message& message) {
    schedule(serve(process(message.to), p_.host.send_ns), Stage::kToken, Place::kNic, message);
}

void Machine::tell_process(const Message& message) {
    schedule(over_bus(message.to, serve(nic(message.to), p_.nic.finish_ns)), Stage::kTake, Place::kProcess, message);
}

// Returns the number of processes on this process's CPU that poll in vain.
uint64_t Machine::waiting(uint32_t node) const {
    return processes_each_ - std::min(processes_each_, 1 + ready_[node % p_.machine.cpus]);
}

// A message has come for a process that polls. Each process that waits on the same CPU has a turn before it; meanwhile
// the NICs work on.
void Machine::notice(const Message& message) {
    if (p_.machine.cpus == 0) {
        turn(message);
        return;
    }
    const uint64_t others = std::max<uint64_t>(waiting(message.to), 1) - 1;
    ready_[message.to % p_.machine.cpus]++;
    schedule(kernel_.now() + others * from_ns(p_.machine.switch_ns), Stage::kTurn, Place::kProcess, message);
}

void Machine::turn(const Message& message) {
    schedule(serve(process(message.to), receive_ns_), Stage::kTaken, Place::kProcess, message);
}

void Machine::work(double ns, const Message& message) {
    if (p_.machine.cpus != 0) {
        ready_[message.to % p_.machine.cpus]++;
    }
    schedule(serve(process(message.to), ns), Stage::kTaken, Place::kProcess, message);
}

void Machine::handle(uint64_t what) {
    const InFlight flight = flights_[what];
    free_.push_back(static_cast<uint32_t>(what));
    const Message& message = flight.message;
    switch (flight.stage) {
        case Stage::kFetch:
            schedule(over_bus(message.from, serve(nic(message.from), p_.nic.fetch_ns)), Stage::kSend, flight.to,
                     message);
            break;
        case Stage::kSend:
            cross(serve(nic(message.from), p_.nic.send_ns), flight.to, message);
            break;
        case Stage::kArrive:
            if (flight.to == Place::kNic) {
                schedule(over_bus(message.to, serve(nic(message.to), p_.nic.execute_ns), p_.bus.atomic_transfers),
                         Stage::kTaken, Place::kNic, message);
            } else {
                schedule(over_bus(message.to, serve(nic(message.to), p_.nic.deliver_ns)), Stage::kTake, flight.to,
                         message);
            }
            break;
        case Stage::kToken:
            schedule(over_bus(message.to, serve(nic(message.to), p_.nic.token_ns)), Stage::kTaken, Place::kNic,
                     message);
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
            if (p_.machine.cpus != 0 && flight.to == Place::kProcess) {
                ready_[message.to % p_.machine.cpus]--;
            }
            client_->receive(flight.to, message);
            break;
    }
}

}  // namespace syncline::sim::cluster
