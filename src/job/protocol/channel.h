// SPDX-License-Identifier: BSD-3-Clause
// One end of a connection with the daemon: whole messages with descriptors. The kernel bounds the length of a packet on
// a UNIX socket. So an answer's body that is longer than daemon_inline_max is the content of a memfd, which is the
// message's last descriptor. A request's long body goes on in further packets, because the daemon takes no descriptors
// of clients.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "job/protocol/daemon_protocol.h"

namespace syncline {

struct Message {
    MessageType type = MessageType::kHello;
    int status = 0;
    uint16_t version = daemon_version;  // the sender's
    std::vector<uint8_t> body;
    std::vector<UniqueFd> fds;
    bool fds_missing = false;  // descriptors of the message were lost: too many open files in this process

    // Reads a struct at `offset` of the body; returns false if the body is too short.
    template <typename T>
    bool read(T* value, size_t offset = 0) const {
        if (offset > body.size() || sizeof(T) > body.size() - offset) {
            return false;
        }
        std::memcpy(value, body.data() + offset, sizeof(T));
        return true;
    }

    template <typename T>
    void append(const T& value) {
        append(&value, sizeof(T));
    }
    void append(const void* bytes, size_t count);

    std::string text() const { return {body.begin(), body.end()}; }
};

class Channel {
  public:
    Channel() = default;
    explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}

    // "@name" is an abstract address, anything else a path. Throws Failure. `patience_s`: how long to wait until the
    // other end has taken earlier connections; 0: as long as that takes.
    static Channel connect(const std::string& name, int patience_s = 0);
    // As connect(), to a daemon of this version: the first message has been exchanged.
    static Channel greet(const std::string& name);
    static UniqueFd listen(const std::string& name, unsigned mode);

    int fd() const { return fd_.get(); }
    bool valid() const { return fd_.valid(); }
    void close() { fd_.reset(); }
    UniqueFd release() { return std::move(fd_); }

    // Sends the message with copies of `fds`. Returns false if the other end is gone or does not read.
    bool send(const Message& message, std::vector<int> fds = {});
    // Returns whether send() has just failed because the other end is gone. Messages that it sent before may be there.
    bool is_hung_up() const { return hung_up_; }
    // The client's side: a long body goes on in packets, for each of which this waits until there is room.
    bool send_request(const Message& message, const std::vector<int>& fds = {});

    enum class Received { kMessage, kNothing, kClosed, kNonsense };
    // With `wait` false, never blocks. kNonsense: the message breaks the protocol; hang up.
    Received receive(Message* message, bool wait);

    // The daemon's side: the next request, of a client with these rights. Never blocks. kNothing: no request has come,
    // or a part of it is still to come. kNonsense: also a message with descriptors that the client may not send; these
    // stay in the queue, because the daemon would have to close them if it took them out.
    struct Rights {
        bool descriptors;
        bool long_bodies;
    };
    Received take_request(Message* request, const Rights& rights);

    // Returns when the descriptor can be read. It may throw: then the awaited answer is skipped when it comes.
    using Await = std::function<void(int fd)>;

    // Sends and waits for the answer, through `await` if there is one; throws Failure with the daemon's message. A
    // kAbort or kMember that comes in between is kept for take_unasked().
    Message call(const Message& message, const Await& await = {});
    // The two halves of a call, for a caller that asks several daemons before it waits.
    void ask(const Message& message, const std::vector<int>& fds = {});
    Message answer_to(MessageType type, const Await& await = {});
    // Returns the daemon's last message, if it is next: the daemon was stopped, or a signal has ended it.
    std::optional<std::string> goodbye() const;
    // The other end has closed the connection without a message. Returns whether the daemon is gone or has hung up; to
    // find out, it waits as long as the daemon needs to end, for at most 0.2 s.
    std::string why_closed() const;
    std::string last_words();
    // Returns whether an answer is still to come: data that can be read may be that answer.
    bool is_owed_an_answer() const { return owed_ != 0; }
    std::vector<Message> take_unasked() { return std::exchange(unasked_, {}); }

  private:
    Message receive_answer(const Await& await);
    Received take_part(Message* request, size_t length);

    UniqueFd fd_;
    Message unfinished_;  // a request whose body goes on
    size_t missing_ = 0;  // bytes of its body that are missing
    uint32_t owed_ = 0;   // number of answers that are still to come
    bool hung_up_ = false;
    std::vector<Message> unasked_;
};

}  // namespace syncline
