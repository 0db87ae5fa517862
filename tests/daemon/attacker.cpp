// SPDX-License-Identifier: BSD-3-Clause
// Method: a PE that speaks to its daemon by itself, and tries on every descriptor that it gets whatever changes memory
// behind a descriptor. It prints "NAME attack attack ...": the attacks that succeed. The descriptors keep the order of
// docs/PROTOCOL.md, part 2, Attach; "heap" is the own segment 0, "registered" one that it registers.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/failure.h"
#include "job/protocol/channel.h"
#include "job/protocol/job_description.h"

namespace syncline {
namespace {

constexpr size_t page = 4096;

bool map_and_write(int fd, off_t offset = 0) {
    void* const at = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (at == MAP_FAILED) {
        return false;
    }
    auto* const byte = static_cast<volatile uint8_t*>(at);
    *byte = *byte;
    ::munmap(at, page);
    return true;
}

bool map_and_protect(int fd, off_t offset = 0) {
    void* const at = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, fd, offset);
    if (at == MAP_FAILED) {
        return false;
    }
    const bool changed = ::mprotect(at, page, PROT_READ | PROT_WRITE) == 0;
    ::munmap(at, page);
    return changed;
}

bool reopen(int fd) {
    const UniqueFd again(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDWR | O_CLOEXEC));
    return again.valid() && map_and_write(again.get());
}

bool update(int fd) {
    bpf_map_info info = {};
    uint32_t length = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd, &info, &length) != 0) {
        return false;
    }
    const uint32_t key = 0;
    std::vector<uint8_t> value(info.value_size);
    return bpf_map_lookup_elem(fd, &key, value.data()) == 0 &&
           bpf_map_update_elem(fd, &key, value.data(), BPF_ANY) == 0;
}

bool remove(int fd) {
    const uint32_t key = 0;
    return bpf_map_delete_elem(fd, &key) == 0;
}

// The map under a name in a file system of the PE's own, and opened again by that name.
bool pin(int fd) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string name = "/tmp/map";
        const bool pinned = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
                            ::mount("bpf", "/tmp", "bpf", 0, nullptr) == 0 && bpf_obj_pin(fd, name.c_str()) == 0;
        const UniqueFd again(pinned ? bpf_obj_get(name.c_str()) : -1);
        ::_exit(again.valid() && (map_and_write(again.get()) || update(again.get())) ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
}

void attack(const char* name, int fd) {
    const std::pair<const char*, std::function<bool(int)>> attacks[] = {
        {"map", [](int f) { return map_and_write(f); }},
        {"protect", [](int f) { return map_and_protect(f); }},
        {"reopen", reopen},
        {"update", update},
        {"remove", remove},
        {"pin", pin},
        {"write", [](int f) { return ::pwrite(f, "", 1, 0) == 1; }},
        {"punch", [](int f) { return ::fallocate(f, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, page) == 0; }},
        {"shrink", [](int f) { return ::ftruncate(f, 0) == 0; }},
        {"grow", [](int f) { return ::ftruncate(f, 1 << 30) == 0; }},
        {"chmod", [](int f) { return ::fchmod(f, 0600) == 0; }},
        {"seal", [](int f) { return ::fcntl(f, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0; }},
        {"freeze", [](int f) { return bpf_map_freeze(f) == 0; }},
    };
    std::printf("%s", name);
    for (const auto& [what, succeeds] : attacks) {
        if (succeeds(fd)) {
            std::printf(" %s", what);
        }
    }
    std::printf("\n");
}

// Its first page is the consumer's, the next the producer's, the rest are the records.
void attack_ring(int fd) {
    std::printf("ring");
    for (off_t offset = 0; offset < static_cast<off_t>(3 * page); offset += page) {
        std::printf("%s%s", map_and_write(fd, offset) ? " map" : "", map_and_protect(fd, offset) ? " protect" : "");
    }
    std::printf("%s%s\n", update(fd) ? " update" : "", remove(fd) ? " remove" : "");
}

uint64_t number(const char* name, int base) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, base) : 0;
}

template <typename Body>
Message call(Channel* channel, MessageType type, const Body& body) {
    Message request;
    request.type = type;
    request.append(body);
    return channel->call(request);
}

void run() {
    Channel channel = Channel::connect(std::getenv("SYNCLINE_SOCKET"));
    channel.call({});
    const auto rank = static_cast<uint32_t>(number("SYNCLINE_RANK", 10));
    const Message answer =
        call(&channel, MessageType::kAttach,
             AttachRequest{number("SYNCLINE_TOKEN", 16), static_cast<uint32_t>(number("SYNCLINE_JOB", 16)), rank});
    AttachAnswer head = {};
    (void)answer.read(&head);
    const uint32_t port = read_job(answer, sizeof(head)).map.port_of(rank);
    const Message heap = call(&channel, MessageType::kSegment, SegmentRequest{port, 0});
    const Message registered = call(&channel, MessageType::kRegister, RegisterRequest{16 * page});
    size_t next = 0;
    for (const char* const name : {"ports", "segments", "barriers"}) {
        attack(name, answer.fds.at(next++).get());
    }
    if ((head.flags & kAttachRing) != 0) {
        attack_ring(answer.fds.at(next++).get());
    }
    if ((head.flags & kAttachPackets) != 0) {
        for (const char* const name : {"completions", "requests", "sources", "directory"}) {
            attack(name, answer.fds.at(next++).get());
        }
    }
    attack("event", answer.fds.at((head.flags & kAttachSockets) != 0 ? next + 1 : next).get());
    attack("heap", heap.fds.at(0).get());
    attack("registered", registered.fds.at(0).get());
    Message detach;
    detach.type = MessageType::kDetach;
    channel.call(detach);
}

}  // namespace
}  // namespace syncline

int main() {
    try {
        std::printf("user %d\n", static_cast<int>(::getuid()));
        syncline::run();
        return 0;
    } catch (const std::exception& exception) {
        std::printf("attacker: %s\n", exception.what());
        return 1;
    }
}
