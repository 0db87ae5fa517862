// SPDX-License-Identifier: BSD-3-Clause
// One end of a connection with the daemon: whole messages with descriptors. The kernel bounds the length of a packet on
// a UNIX socket. So an answer's body that is longer than daemon_inline_max is the content of a memfd, which is the
// message's last descriptor; a request's goes on in further packets, because the daemon takes no descriptors of
// clients.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "job/daemon_protocol.h"

namespace syncline {

struct Message {
    MessageType type = MessageType::kHello;
    int status = 0;
    uint16_t version = daemon_version;  // of the sender
    std::vector<uint8_t> body;
    std::vector<UniqueFd> fds;
    bool fds_missing = false;  // this process may not have so many open files: descriptors of the message were lost

    // Reads a struct at `offset` of the body; false if the body is too short.
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

    // "@name" is an abstract address, anything else a path. Throws Failure.
    // `patience_s`: until the other end has taken those that came before; 0: as long as that takes.
    static Channel connect(const std::string& name, int patience_s = 0);
    // connect() to a daemon, which is of this version: the first message is said.
    static Channel greet(const std::string& name);
    static UniqueFd listen(const std::string& name, unsigned mode);

    int fd() const { return fd_.get(); }
    bool valid() const { return fd_.valid(); }
    void close() { fd_.reset(); }
    UniqueFd release() { return std::move(fd_); }

    // Sends the message with copies of `fds`. False if the other end is gone or does not read.
    bool send(const Message& message, std::vector<int> fds = {});
    // The client's side: a long body goes on in packets, for each of which this waits until there is room.
    bool send_request(const Message& message, const std::vector<int>& fds = {});

    enum class Received { kMessage, kNothing, kClosed, kNonsense };
    // Never blocks with `wait` false. kNonsense: not of this protocol; hang up.
    Received receive(Message* message, bool wait);

    // The daemon's side: the next request, of a client with these rights. Never blocks. kNothing: or a part of it is
    // still to come. kNonsense: also a message with descriptors that the client does not owe; those stay in the queue,
    // for to take them out is to close them.
    struct Rights {
        bool descriptors;
        bool long_bodies;
    };
    Received take_request(Message* request, const Rights& rights);

    // Returns when the descriptor can be read. It may throw: the answer that was waited for is then passed over when
    // it comes.
    using Await = std::function<void(int fd)>;

    // Sends and waits for the answer, through `await` if there is one; throws Failure with the daemon's sentence. A
    // kAbort or kMember that comes in between is kept for take_unasked().
    Message call(const Message& message, const Await& await = {});
    // The two halves of a call, for a caller that asks several daemons before it waits.
    void ask(const Message& message, const std::vector<int>& fds = {});
    Message answer_to(MessageType type, const Await& await = {});
    // The daemon's last sentence, if it is the next message: the daemon was stopped, or a signal has ended it.
    std::optional<std::string> goodbye() const;
    // The other end has closed the connection, without a sentence. Says whether the daemon is gone or has hung up; for
    // that it waits as long as the daemon needs to be gone, for 0.2 s at most.
    std::string why_closed() const;
    std::string last_words();
    // An answer is still to come: what can be read may be that.
    bool is_owed_an_answer() const { return owed_ != 0; }
    std::vector<Message> take_unasked() { return std::exchange(unasked_, {}); }

  private:
    Message receive_answer(const Await& await);
    Received take_part(Message* request, size_t length);

    UniqueFd fd_;
    Message unfinished_;  // a request whose body goes on
    size_t missing_ = 0;  // bytes of it
    uint32_t owed_ = 0;   // answers that are still to come
    std::vector<Message> unasked_;
};

}  // namespace syncline
