// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bulk/bare.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "bare.skel.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "bench/programs/bare.h"
#include "testbed/netns.h"

namespace syncline::bench {

namespace {

constexpr uint64_t resend_ns = 100 * ns_per_ms;
constexpr int resends_max = 50;
constexpr int interruption_look_ms = 100;  // time between two looks for an interruption

sockaddr_in address_of(const testbed::Node& node, uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, node.address4.c_str(), &address.sin_addr);
    return address;
}

bpf_link* attach_program(const bpf_program* program, const testbed::Node& node) {
    const testbed::NetnsScope inside(node.netns.get());
    bpf_link* const link = bpf_program__attach_xdp(program, static_cast<int>(::if_nametoindex(node.interface.c_str())));
    if (link == nullptr) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "the bare XDP program cannot be attached");
    }
    return link;
}

// Runs in a process of its own, which has one thread as PEs have: the kernel looks up descriptors more quickly there.
class Sender {
  public:
    Sender(int socket, const uint64_t* deposit, uint64_t sequence)
        : socket_(socket), deposit_(deposit), sequence_(sequence) {}

    // Returns false if no frame came back.
    bool run(uint64_t warm_up, std::vector<uint32_t>* samples) {
        for (uint64_t i = 0; i < warm_up; i++) {
            if (!once()) {
                return false;
            }
        }
        uint64_t before = now_ns();
        for (uint32_t& sample : *samples) {
            if (!once()) {
                return false;
            }
            const uint64_t after = now_ns();
            sample = static_cast<uint32_t>(std::min<uint64_t>(after - before, UINT32_MAX));
            before = after;
        }
        return true;
    }

  private:
    bool once() {
        uint8_t request[BARE_REQUEST_BYTES] = {};
        sequence_++;
        std::memcpy(request, &sequence_, sizeof(sequence_));
        for (int sends = 0; sends < resends_max; sends++) {
            (void)!::send(socket_, request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (has_come()) {
                return true;
            }
        }
        return false;
    }

    bool has_come() const {
        if (__atomic_load_n(deposit_, __ATOMIC_ACQUIRE) == sequence_) {
            return true;
        }
        const uint64_t patience = now_ns() + resend_ns;
        while (now_ns() < patience) {
            if (__atomic_load_n(deposit_, __ATOMIC_ACQUIRE) == sequence_) {
                return true;
            }
        }
        return false;
    }

    const int socket_;
    const uint64_t* const deposit_;
    uint64_t sequence_;
};

// Measures in the child, which then ends.
[[noreturn]] void send_from(Sender sender, int cpu, uint64_t count, int result) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET(static_cast<size_t>(cpu), &there);
    (void)::sched_setaffinity(0, sizeof(there), &there);
    std::vector<uint32_t> samples(count);
    if (sender.run(20 + count / 10, &samples)) {
        const auto* at = reinterpret_cast<const char*>(samples.data());
        size_t left = samples.size() * sizeof(uint32_t);
        for (ssize_t written = 0; left != 0 && written >= 0; left -= static_cast<size_t>(written), at += written) {
            written = ::write(result, at, left);
        }
    }
    ::_exit(0);
}

// Returns all that the child writes; fewer than `count` samples if the child fails.
std::vector<uint32_t> read_samples(int fd, uint64_t count) {
    std::vector<uint32_t> samples(count);
    size_t bytes = 0;
    while (bytes < count * sizeof(uint32_t)) {
        check_interruption();
        pollfd readable = {fd, POLLIN, 0};
        if (::poll(&readable, 1, interruption_look_ms) <= 0) {
            continue;
        }
        const ssize_t some =
            ::read(fd, reinterpret_cast<char*>(samples.data()) + bytes, count * sizeof(uint32_t) - bytes);
        if (some <= 0) {
            break;
        }
        bytes += static_cast<size_t>(some);
    }
    samples.resize(bytes / sizeof(uint32_t));
    return samples;
}

// A child process, which ends with this object.
class ChildProcess {
  public:
    explicit ChildProcess(pid_t pid) : pid_(pid) {}
    ~ChildProcess() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

  private:
    const pid_t pid_;
};

}  // namespace

BareRoundTrip::BareRoundTrip(int mtu) : bed_({.nodes = 2, .pes_of_node = 0, .mtu = mtu}) {
    try {
        attach();
        open_socket();
    } catch (...) {
        close();
        throw;
    }
}

BareRoundTrip::~BareRoundTrip() {
    close();
}

void BareRoundTrip::close() {
    if (deposit_ != nullptr) {
        ::munmap(deposit_, sizeof(*deposit_));
    }
    bpf_link__destroy(turn_);
    bpf_link__destroy(arrive_);
    bare_bpf__destroy(skeleton_);
}

void BareRoundTrip::attach() {
    skeleton_ = bare_bpf__open_and_load();
    if (skeleton_ == nullptr) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "the kernel refused the bare XDP programs");
    }
    arrive_ = attach_program(skeleton_->progs.bare_arrive, bed_.nodes()[0]);
    turn_ = attach_program(skeleton_->progs.bare_turn, bed_.nodes()[1]);
    void* const mapped = ::mmap(nullptr, sizeof(*deposit_), PROT_READ | PROT_WRITE, MAP_SHARED,
                                bpf_map__fd(skeleton_->maps.bare_deposit), 0);
    if (mapped == MAP_FAILED) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the word that the bare XDP program deposits");
    }
    deposit_ = static_cast<uint64_t*>(mapped);
}

// Makes the socket as the daemon makes the library's sockets: no UDP checksums, no fragments, large buffers.
void BareRoundTrip::open_socket() {
    const testbed::NetnsScope inside(bed_.nodes()[0].netns.get());
    socket_ = UniqueFd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int one = 1;
    const int whole = IP_PMTUDISC_PROBE;
    const int room = 4 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one));
    ::setsockopt(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole));
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    const sockaddr_in own = address_of(bed_.nodes()[0], 0);
    const sockaddr_in other = address_of(bed_.nodes()[1], BARE_PORT);
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0 ||
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&other), sizeof(other)) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot connect node 0 of the bare round trip to node 1");
    }
}

std::vector<uint32_t> BareRoundTrip::measure(uint64_t count, int cpu) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const pid_t pid = ::fork();
    if (pid < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot start a process");
    }
    if (pid == 0) {
        send_from({socket_.get(), deposit_, *deposit_}, cpu, count, writer.get());
    }
    const ChildProcess child(pid);
    writer.reset();
    std::vector<uint32_t> samples = read_samples(reader.get(), count);
    if (samples.size() != count) {
        fail(SYNCLINE_ERR_TIMEOUT, "no frame of the bare round trip comes back");
    }
    return samples;
}

}  // namespace syncline::bench
