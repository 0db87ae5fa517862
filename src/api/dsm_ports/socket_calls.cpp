// SPDX-License-Identifier: BSD-3-Clause
// send(), recv() and their relatives on shared memory.
#include <sys/socket.h>
#include <sys/types.h>

#include "kernel_access.h"
#include "next_call.h"

using syncline::ports::Access;
using syncline::ports::fetch;
using syncline::ports::fetch_message;
using syncline::ports::NextCall;
using syncline::ports::with_memory;

namespace {

using Receive = ssize_t(int, void*, size_t, int);
using ReceiveFrom = ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*);

constinit NextCall<Receive> next_recv("recv");
constinit NextCall<ReceiveFrom> next_recvfrom("recvfrom");
constinit NextCall<ssize_t(int, msghdr*, int)> next_recvmsg("recvmsg");
constinit NextCall<ssize_t(int, const void*, size_t, int)> next_send("send");
constinit NextCall<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> next_sendto("sendto");
constinit NextCall<ssize_t(int, const msghdr*, int)> next_sendmsg("sendmsg");
constinit NextCall<ssize_t(int, void*, size_t, size_t, int)> next_recv_chk("__recv_chk");
constinit NextCall<ssize_t(int, void*, size_t, size_t, int, sockaddr*, socklen_t*)> next_recvfrom_chk("__recvfrom_chk");

__attribute__((constructor)) void find_next_socket_calls() {
    next_recv.find();
    next_recvfrom.find();
    next_recvmsg.find();
    next_send.find();
    next_sendto.find();
    next_sendmsg.find();
    next_recv_chk.find();
    next_recvfrom_chk.find();
}

bool fetch_for_sender(void* memory, size_t bytes, sockaddr* from, socklen_t* length, const void* caller) {
    bool shared = fetch(memory, bytes, Access::writes, caller);
    if (length != nullptr) {
        shared = fetch(length, sizeof(*length), Access::writes, caller) || shared;
        shared = fetch(from, *length, Access::writes, caller) || shared;
    }
    return shared;
}

}  // namespace

#define CALL extern "C" __attribute__((visibility("default"))) ssize_t
#define CALLER __builtin_return_address(0)

CALL recv(int socket, void* memory, size_t bytes, int flags) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch(memory, bytes, Access::writes, caller); },
                       [=] { return next_recv(socket, memory, bytes, flags); });
}

CALL __recv_chk(int socket, void* memory, size_t bytes, size_t room, int flags) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch(memory, bytes, Access::writes, caller); },
                       [=] { return next_recv_chk(socket, memory, bytes, room, flags); });
}

CALL recvfrom(int socket, void* memory, size_t bytes, int flags, sockaddr* from, socklen_t* length) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch_for_sender(memory, bytes, from, length, caller); },
                       [=] { return next_recvfrom(socket, memory, bytes, flags, from, length); });
}

CALL __recvfrom_chk(int socket, void* memory, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* length) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch_for_sender(memory, bytes, from, length, caller); },
                       [=] { return next_recvfrom_chk(socket, memory, bytes, room, flags, from, length); });
}

CALL recvmsg(int socket, msghdr* message, int flags) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch_message(message, Access::writes, caller); },
                       [=] { return next_recvmsg(socket, message, flags); });
}

CALL send(int socket, const void* memory, size_t bytes, int flags) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch(memory, bytes, Access::reads, caller); },
                       [=] { return next_send(socket, memory, bytes, flags); });
}

CALL sendto(int socket, const void* memory, size_t bytes, int flags, const sockaddr* to, socklen_t length) {
    const void* const caller = CALLER;
    return with_memory(
        [=] {
            const bool shared = fetch(memory, bytes, Access::reads, caller);
            return fetch(to, length, Access::reads, caller) || shared;
        },
        [=] { return next_sendto(socket, memory, bytes, flags, to, length); });
}

CALL sendmsg(int socket, const msghdr* message, int flags) {
    const void* const caller = CALLER;
    return with_memory([=] { return fetch_message(message, Access::reads, caller); },
                       [=] { return next_sendmsg(socket, message, flags); });
}
