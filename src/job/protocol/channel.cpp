// SPDX-License-Identifier: BSD-3-Clause
#include "job/protocol/channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/failure.h"
#include "base/memory_file.h"
#include "base/os.h"
#include "base/process_state.h"

namespace syncline {
namespace {

socklen_t fill_address(sockaddr_un* address, const std::string& name) {
    *address = {};
    address->sun_family = AF_UNIX;
    if (name.empty() || name.size() >= sizeof(address->sun_path)) {
        fail(SYNCLINE_ERR_INVALID, "the socket name '{}' is empty or longer than {} bytes; choose a shorter one", name,
             sizeof(address->sun_path) - 1);
    }
    std::memcpy(address->sun_path, name.data(), name.size());
    if (name[0] == '@') {
        address->sun_path[0] = '\0';
        return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    }
    return sizeof(*address);
}

UniqueFd open_socket() {
    UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!fd) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a UNIX socket");
    }
    return fd;
}

// The first message and its answer are the same in all versions, so that each side can say that it has another version.
// `long_here`: how much of a long body follows in the packet.
bool well_formed(const MessageHeader& header, size_t body, size_t long_here) {
    const bool hello = header.type == static_cast<uint16_t>(MessageType::kHello);
    const size_t here = header.length > daemon_inline_max ? long_here : header.length;
    return header.magic == daemon_magic && (header.version == daemon_version || hello) && here == body &&
           header.length <= daemon_message_max && header.type >= static_cast<uint16_t>(MessageType::kHello) &&
           header.type <= static_cast<uint16_t>(MessageType::kTraces);
}

// The next packet, which stays in the queue.
struct NextPacket {
    ssize_t length;  // -1: see errno
    bool has_descriptors;
};

NextPacket look_at_next(int fd, bool wait) {
    char byte;  // an emulator of programs (qemu-user) does not ask the kernel for a message without room
    iovec room = {&byte, sizeof(byte)};
    msghdr header = {};
    header.msg_iov = &room;
    header.msg_iovlen = 1;
    ssize_t length;
    do {
        length = ::recvmsg(fd, &header, MSG_PEEK | MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT));
    } while (length < 0 && (errno == EINTR || errno == ECONNRESET));  // reset: earlier packets still follow
    return {length, length > 0 && (header.msg_flags & MSG_CTRUNC) != 0};
}

size_t body_room(ssize_t length) {
    const auto whole = static_cast<size_t>(std::max<ssize_t>(length, sizeof(MessageHeader)));
    return std::min<size_t>(whole - sizeof(MessageHeader), daemon_inline_max);
}

struct Packet {
    ssize_t count = 0;
    int flags = 0;
    MessageHeader head = {};
    std::vector<uint8_t> body;
    std::vector<UniqueFd> fds;
};

// Returns a memory file with these bytes; -1: there is no room for it.
UniqueFd file_of(const std::vector<uint8_t>& body) {
    if (!may_have_file_of(body.size())) {
        return {};
    }
    UniqueFd file(::memfd_create("syncline-message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    size_t written = 0;
    while (file && written < body.size()) {
        const ssize_t some = ::write(file.get(), body.data() + written, body.size() - written);
        if (some <= 0) {
            return {};
        }
        written += static_cast<size_t>(some);
    }
    return file;
}

// Sends a packet. Where there is no room for it yet, a blocking socket waits, also across a signal of the program.
// Returns false if it cannot be sent: see errno.
bool send_packet(int fd, const msghdr& header) {
    ssize_t sent;
    do {
        sent = ::sendmsg(fd, &header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

bool send_part(int fd, const MessageHeader* head, const uint8_t* bytes, size_t count) {
    iovec parts[2] = {{const_cast<MessageHeader*>(head), head != nullptr ? sizeof(*head) : 0},
                      {const_cast<uint8_t*>(bytes), count}};
    msghdr header = {};
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    return send_packet(fd, header);
}

// Reads a file that file_of() has written. Only memory files have seals, and a reader of one never has to wait.
bool read_file(int file, std::vector<uint8_t>* body) {
    if (::fcntl(file, F_GET_SEALS) < 0) {
        return false;
    }
    size_t count = 0;
    while (count < body->size()) {
        const ssize_t some = ::pread(file, body->data() + count, body->size() - count, static_cast<off_t>(count));
        if (some <= 0) {
            return false;
        }
        count += static_cast<size_t>(some);
    }
    return true;
}

void take_fds(msghdr* header, std::vector<UniqueFd>* fds) {
    for (cmsghdr* control = CMSG_FIRSTHDR(header); control != nullptr; control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
            fds->emplace_back(fd);
        }
    }
}

Packet receive_packet(int fd, size_t room, bool wait) {
    Packet packet;
    packet.body.resize(room);
    alignas(cmsghdr) uint8_t control[CMSG_SPACE((daemon_fds_max + 1) * sizeof(int))];
    iovec parts[2] = {{&packet.head, sizeof(packet.head)}, {packet.body.data(), packet.body.size()}};
    msghdr header = {};
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    do {
        packet.count = ::recvmsg(fd, &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    } while (packet.count < 0 && (errno == EINTR || errno == ECONNRESET));  // reset: earlier packets still follow
    packet.flags = header.msg_flags;
    if (packet.count >= 0) {
        take_fds(&header, &packet.fds);
    }
    return packet;
}

bool is_well_formed(const Packet& packet, size_t long_here) {
    return packet.count >= static_cast<ssize_t>(sizeof(packet.head)) && (packet.flags & MSG_TRUNC) == 0 &&
           well_formed(packet.head, static_cast<size_t>(packet.count) - sizeof(packet.head), long_here);
}

void move_to(Message* message, Packet* packet) {
    message->type = static_cast<MessageType>(packet->head.type);
    message->status = packet->head.status;
    message->version = packet->head.version;
    message->fds_missing = (packet->flags & MSG_CTRUNC) != 0;
    message->body = std::move(packet->body);
    message->fds = std::move(packet->fds);
}

}  // namespace

void Message::append(const void* bytes, size_t count) {
    const auto* start = static_cast<const uint8_t*>(bytes);
    body.insert(body.end(), start, start + count);
}

Channel Channel::connect(const std::string& name, int patience_s) {
    UniqueFd fd = open_socket();
    const timeval patience = {patience_s, 0};
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    sockaddr_un address;
    const socklen_t length = fill_address(&address, name);
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) {
        fail_errno(errno == EAGAIN ? SYNCLINE_ERR_TIMEOUT : SYNCLINE_ERR_NODE,
                   "no daemon answers at '{}'; is it running", name);
    }
    return Channel(std::move(fd));
}

Channel Channel::greet(const std::string& name) {
    Channel channel = connect(name);
    channel.call(Message{});
    return channel;
}

UniqueFd Channel::listen(const std::string& name, unsigned mode) {
    UniqueFd fd = open_socket();
    sockaddr_un address;
    const socklen_t length = fill_address(&address, name);
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) {
        fail_errno(SYNCLINE_ERR_BUSY, "cannot listen at '{}'", name);
    }
    if (name[0] != '@') {
        ::chmod(name.c_str(), mode);
    }
    if (::listen(fd.get(), 128) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot listen at '{}'", name);
    }
    return fd;
}

bool Channel::send(const Message& message, std::vector<int> fds) {
    const bool inlined = message.body.size() <= daemon_inline_max;
    const UniqueFd file = inlined ? UniqueFd() : file_of(message.body);
    if (!inlined) {
        if (!file || message.body.size() > daemon_message_max) {
            return false;
        }
        fds.push_back(file.get());
    }
    MessageHeader head = {daemon_magic, daemon_version, static_cast<uint16_t>(message.type),
                          static_cast<uint32_t>(message.body.size()), message.status};
    iovec parts[2] = {{&head, sizeof(head)},
                      {const_cast<uint8_t*>(message.body.data()), inlined ? message.body.size() : 0}};
    std::vector<uint8_t> control(fds.empty() ? 0 : CMSG_SPACE(fds.size() * sizeof(int)));
    msghdr header = {};
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    if (!fds.empty()) {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
        std::memcpy(CMSG_DATA(rights), fds.data(), fds.size() * sizeof(int));
    }
    const bool sent = send_packet(fd_.get(), header);
    hung_up_ = !sent && (errno == EPIPE || errno == ECONNRESET);
    return sent;
}

bool Channel::send_request(const Message& message, const std::vector<int>& fds) {
    const size_t bytes = message.body.size();
    if (bytes <= daemon_inline_max) {
        return send(message, fds);
    }
    const MessageHeader head = {daemon_magic, daemon_version, static_cast<uint16_t>(message.type),
                                static_cast<uint32_t>(bytes), message.status};
    bool sent = bytes <= daemon_message_max && fds.empty();
    for (size_t at = 0; sent && at < bytes; at += daemon_inline_max) {
        const size_t some = std::min<size_t>(bytes - at, daemon_inline_max);
        sent = send_part(fd_.get(), at == 0 ? &head : nullptr, message.body.data() + at, some);
    }
    return sent;
}

Channel::Received Channel::receive(Message* message, bool wait) {
    Packet packet = receive_packet(fd_.get(), body_room(look_at_next(fd_.get(), wait).length), wait);
    if (packet.count <= 0) {
        return packet.count < 0 && errno == EAGAIN ? Received::kNothing : Received::kClosed;
    }
    if (!is_well_formed(packet, 0)) {
        return Received::kNonsense;
    }
    packet.body.resize(packet.head.length);
    if (packet.head.length > daemon_inline_max) {
        const bool whole = (packet.flags & MSG_CTRUNC) == 0 && !packet.fds.empty();
        if (!whole || !read_file(packet.fds.back().get(), &packet.body)) {
            return Received::kNonsense;
        }
        packet.fds.pop_back();
    }
    move_to(message, &packet);
    return Received::kMessage;
}

Channel::Received Channel::take_request(Message* request, const Rights& rights) {
    const NextPacket next = look_at_next(fd_.get(), false);
    if (next.length <= 0) {
        return next.length < 0 && errno == EAGAIN ? Received::kNothing : Received::kClosed;
    }
    if (next.has_descriptors && !rights.descriptors) {
        return Received::kNonsense;
    }
    if (missing_ != 0) {
        return take_part(request, static_cast<size_t>(next.length));
    }
    Packet packet = receive_packet(fd_.get(), body_room(next.length), false);
    const bool is_long = packet.head.length > daemon_inline_max;
    const bool may_be_long = rights.long_bodies && packet.head.type == static_cast<uint16_t>(MessageType::kCreateJob);
    if (!is_well_formed(packet, daemon_inline_max) || (is_long && !may_be_long)) {
        return Received::kNonsense;
    }
    missing_ = packet.head.length - packet.body.size();
    move_to(missing_ != 0 ? &unfinished_ : request, &packet);
    return missing_ != 0 ? Received::kNothing : Received::kMessage;
}

// Takes the next `length` bytes of a body. Packets without bytes would keep the daemon busy for nothing.
Channel::Received Channel::take_part(Message* request, size_t length) {
    if (length > std::min<size_t>(missing_, daemon_inline_max)) {
        return Received::kNonsense;
    }
    std::vector<uint8_t>& body = unfinished_.body;
    body.resize(body.size() + length);
    if (::recv(fd_.get(), body.data() + body.size() - length, length, MSG_DONTWAIT) != static_cast<ssize_t>(length)) {
        return Received::kClosed;
    }
    missing_ -= length;
    if (missing_ != 0) {
        return Received::kNothing;
    }
    *request = std::move(unfinished_);
    unfinished_ = {};
    return Received::kMessage;
}

// Receives the next message that is not a kAbort.
Message Channel::receive_answer(const Await& await) {
    for (;;) {
        if (await) {
            await(fd_.get());
        }
        Message answer;
        switch (receive(&answer, !await)) {
            case Received::kMessage:
                if (answer.type == MessageType::kStop) {
                    throw Failure(SYNCLINE_ERR_NODE, answer.text());
                }
                if (answer.type != MessageType::kAbort && answer.type != MessageType::kMember) {
                    return answer;
                }
                unasked_.push_back(std::move(answer));
                break;
            case Received::kNothing:
                break;
            case Received::kNonsense:
                fail(SYNCLINE_ERR_PROTOCOL, "the daemon of this node speaks another version of the protocol than {}",
                     daemon_version);
            case Received::kClosed:
                fail(SYNCLINE_ERR_NODE, "{}", why_closed());
        }
    }
}

// The message stays in the queue, where other threads of the process find it, too.
std::optional<std::string> Channel::goodbye() const {
    struct {
        MessageHeader head;
        char text[256];
    } message;
    ssize_t length;
    do {
        length = ::recv(fd_.get(), &message, sizeof(message), MSG_PEEK | MSG_DONTWAIT);
    } while (length < 0 && (errno == EINTR || errno == ECONNRESET));  // reset: earlier packets still follow
    if (length < static_cast<ssize_t>(sizeof(message.head)) || message.head.magic != daemon_magic ||
        message.head.type != static_cast<uint16_t>(MessageType::kStop)) {
        return std::nullopt;
    }
    return std::string(message.text, static_cast<size_t>(length) - sizeof(message.head));
}

// A daemon sends a message at its end unless SIGKILL ends it.
std::string Channel::why_closed() const {
    ucred other = {};
    socklen_t length = sizeof(other);
    if (::getsockopt(fd_.get(), SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.pid > 0) {
        for (int patience = 0; patience < 200; patience++) {
            if (process_has_ended(other.pid)) {
                return "the daemon of this node ended without a message, as after signal 9 (Killed)";
            }
            (void)sleep_on({}, ns_per_ms);
        }
    }
    return "the daemon of this node hung up";
}

// The goodbye may stand behind unasked messages.
std::string Channel::last_words() {
    for (;;) {
        if (const std::optional<std::string> sentence = goodbye(); sentence) {
            return *sentence;
        }
        Message other;
        if (receive(&other, false) != Received::kMessage) {
            return why_closed();
        }
        unasked_.push_back(std::move(other));
    }
}

void Channel::ask(const Message& message, const std::vector<int>& fds) {
    if (!send_request(message, fds)) {
        fail(SYNCLINE_ERR_NODE, "{}", last_words());
    }
    owed_++;
}

Message Channel::answer_to(MessageType type, const Await& await) {
    Message answer = receive_answer(await);
    while (--owed_ != 0) {
        answer = receive_answer(await);
    }
    if (answer.status < 0) {
        throw Failure(answer.status, answer.text());
    }
    if (answer.version != daemon_version) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon of this node speaks version {} of the protocol, this program {}",
             answer.version, daemon_version);
    }
    if (answer.type != type) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon of this node answered another request than the one it was sent");
    }
    return answer;
}

Message Channel::call(const Message& message, const Await& await) {
    ask(message);
    return answer_to(message.type, await);
}

}  // namespace syncline
