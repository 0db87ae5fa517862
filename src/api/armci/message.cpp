// SPDX-License-Identifier: BSD-3-Clause
// Messages from one process to another, by tags that are not negative.
#include "message.h"

#include <cstring>
#include <vector>

#include "api/armci/state.h"

using namespace syncline::armci;

namespace {

void check_message(int tag, const void* buffer, int bytes) {
    (void)state();
    if (tag < 0 || bytes < 0) {
        refuse("{} is {}", tag < 0 ? "tag" : "bytes", tag < 0 ? tag : bytes);
    }
    if (buffer == nullptr && bytes > 0) {
        refuse("buffer is NULL");
    }
}

int take(int tag, void* buffer, int bytes, int* length, int from) {
    check_message(tag, buffer, bytes);
    std::vector<uint8_t> message;
    const int sender = state().mailbox->receive(from, tag, &message);
    if (message.size() > static_cast<size_t>(bytes)) {
        refuse("bytes is {}, and process {} has sent {}", bytes, sender, message.size());
    }
    if (!message.empty()) {  // if it is empty, there may be no buffer
        std::memcpy(buffer, message.data(), message.size());
    }
    if (length != nullptr) {
        *length = static_cast<int>(message.size());
    }
    return sender;
}

}  // namespace

extern "C" {

int armci_msg_me(void) {
    const Call call("armci_msg_me");
    return state().me;
}

int armci_msg_nproc(void) {
    const Call call("armci_msg_nproc");
    return state().size;
}

void armci_msg_snd(int tag, void* buffer, int bytes, int to) {
    const Call call("armci_msg_snd");
    check_process(to, "to");
    check_message(tag, buffer, bytes);
    state().mailbox->send(to, tag, buffer, static_cast<size_t>(bytes));
}

void armci_msg_rcv(int tag, void* buffer, int bytes, int* length, int from) {
    const Call call("armci_msg_rcv");
    check_process(from, "from");
    (void)take(tag, buffer, bytes, length, from);
}

int armci_msg_rcvany(int tag, void* buffer, int bytes, int* length) {
    const Call call("armci_msg_rcvany");
    return take(tag, buffer, bytes, length, -1);
}

}  // extern "C"
