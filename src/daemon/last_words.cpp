// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/last_words.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

#include "job/protocol/daemon_protocol.h"

namespace syncline {
namespace {

constexpr uint32_t no_client = 0;
constexpr uint32_t without_job = 1;
constexpr uint32_t first_node = 2;

std::array<std::atomic<uint32_t>, 65536> clients;  // by descriptor: one of these values, or first_node + the node
std::atomic<uint32_t> clients_end = 0;             // end of the highest descriptor so far

std::atomic<uint32_t>* entry_of(int fd) {
    return fd >= 0 && static_cast<size_t>(fd) < clients.size() ? &clients[static_cast<size_t>(fd)] : nullptr;
}

// Text in a buffer. Unlike libfmt's functions, its functions may run in a signal handler.
class Text {
  public:
    void append(std::string_view part) {
        const size_t count = std::min(part.size(), sizeof(text_) - length_);
        std::memcpy(text_ + length_, part.data(), count);
        length_ += count;
    }
    void append_number(uint32_t number) {
        char digits[10];
        size_t first = sizeof(digits);
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        append({digits + first, sizeof(digits) - first});
    }
    const char* data() const { return text_; }
    uint32_t length() const { return static_cast<uint32_t>(length_); }

  private:
    char text_[100];
    size_t length_ = 0;
};

Text sentence_for(uint32_t client, uint32_t signal) {
    Text text;
    text.append("the daemon of ");
    if (client == without_job) {
        text.append("this node");
    } else {
        text.append("node ");
        text.append_number(client - first_node);
    }
    text.append(" was ended by signal ");
    text.append_number(signal);
    if (const char* const name = ::sigdescr_np(static_cast<int>(signal)); name != nullptr) {
        text.append(" (");
        text.append(name);
        text.append(")");
    }
    return text;
}

void say(int fd, const Text& text) {
    MessageHeader head = {daemon_magic, daemon_version, static_cast<uint16_t>(MessageType::kStop), text.length(), 0};
    iovec parts[2] = {{&head, sizeof(head)}, {const_cast<char*>(text.data()), text.length()}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    (void)::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// SA_RESETHAND has restored the default action, which ends the process when the handler returns.
void say_to_all(int signal) {
    const uint32_t end = clients_end.load(std::memory_order_relaxed);
    for (uint32_t fd = 0; fd < end; fd++) {
        if (const uint32_t client = clients[fd].load(std::memory_order_relaxed); client != no_client) {
            say(static_cast<int>(fd), sentence_for(client, static_cast<uint32_t>(signal)));
        }
    }
    ::raise(signal);
}

// Returns false for signals that by default do not end a process, and for those that a process cannot handle.
bool may_end_a_process(int signal) {
    constexpr int others[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    return std::find(std::begin(others), std::end(others), signal) == std::end(others);
}

}  // namespace

void leave_last_words() {
    static char room[32 << 10];  // a stack that has overflowed has none
    const stack_t stack = {.ss_sp = room, .ss_flags = 0, .ss_size = sizeof(room)};
    (void)::sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_handler = say_to_all;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
    sigfillset(&action.sa_mask);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction now = {};
        if (may_end_a_process(signal) && ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
            (void)::sigaction(signal, &action, nullptr);
        }
    }
}

Hearer::Hearer(int fd) : entry_(entry_of(fd)) {
    if (entry_ != nullptr) {
        entry_->store(without_job, std::memory_order_relaxed);
        clients_end = std::max(clients_end.load(), static_cast<uint32_t>(fd) + 1);
    }
}

Hearer::~Hearer() {
    if (entry_ != nullptr) {
        entry_->store(no_client, std::memory_order_relaxed);
    }
}

void Hearer::name_node(uint32_t node) {
    if (entry_ != nullptr) {
        entry_->store(first_node + node, std::memory_order_relaxed);
    }
}

}  // namespace syncline
