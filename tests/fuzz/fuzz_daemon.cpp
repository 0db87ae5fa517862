// SPDX-License-Identifier: BSD-3-Clause
// Method: the input is a program for up to four clients of an in-process daemon: connect, send well-formed, damaged or
// arbitrary messages (with descriptors), hang up. Only shm jobs with small tables are created, everything else in a
// message is the input's. After each input a client that behaves must be served, and see no job left.
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "tests/daemon/daemon_client.h"

namespace {

using namespace syncline;
using namespace syncline::testing_daemon;

// Takes bytes from the input; zeros when it is used up.
class Input {
  public:
    Input(const uint8_t* data, size_t size) : data_(data), left_(size) {}
    bool empty() const { return left_ == 0; }
    void take(void* to, size_t count) {
        auto* const bytes = static_cast<uint8_t*>(to);
        const size_t there = std::min(count, left_);
        std::copy_n(data_, there, bytes);
        std::fill_n(bytes + there, count - there, uint8_t{0});
        data_ += there;
        left_ -= there;
    }
    template <typename Value = uint8_t>
    Value take() {
        Value value;
        take(&value, sizeof(value));
        return value;
    }

  private:
    const uint8_t* data_;
    size_t left_;
};

// Keeps what a job may ask of the machine small, and off the network; what is refused anyhow may stay.
void tame(JobSpec* spec) {
    if (is_transport(spec->transport)) {
        spec->transport = TransportKind::kShm;
    }
    if (spec->heap_bytes <= segment_length_max) {
        spec->heap_bytes = std::min<uint64_t>(spec->heap_bytes, 4 * heap_reserved_bytes);
    }
    if (spec->config.ranks <= SLW_RANKS_MAX) {
        spec->config.ranks = std::min<uint32_t>(spec->config.ranks, 8);
    }
}

class Session {
  public:
    Session(InProcess* server, Input* input) : server_(server), input_(input) {}

    void run() {
        for (int step = 0; step < 64 && !input_->empty(); step++) {
            const auto what = input_->take();
            act(&clients_[what % 4], what / 4 % 8);
        }
        for (Channel& client : clients_) {
            client.close();
        }
        server_->pump();
    }

  private:
    void act(Channel* client, uint32_t what) {
        if (!client->valid()) {
            *client = server_->connect();
            server_->pump();  // the daemon takes it
            if (what < 7) {
                send(client, hello());
            }
        }
        switch (what) {
            case 0:
                client->close();
                server_->pump();
                break;
            case 1:
                send(client, create_message(small_job(1u + input_->take() % 3u, 1u + input_->take() % 4u)));
                break;
            case 2:
                send(client, changed_job());
                break;
            case 3:
                send(client, attach_message(small_job(1u + input_->take() % 3u, 4), input_->take() % 5u));
                break;
            case 4:
                send(client, of_process());
                break;
            case 5:
                send(client, arbitrary());
                break;
            default:
                send_raw(client);
        }
    }

    // A good job with one word of its specification changed, and at times a byte of its addresses or ranks.
    Message changed_job() {
        JobSpec spec = small_job(1u + input_->take() % 3u, 1u + input_->take() % 4u);
        const size_t offset = input_->take<uint16_t>() % (sizeof(spec) / 4) * 4;
        const auto word = input_->take<uint32_t>();
        std::memcpy(reinterpret_cast<uint8_t*>(&spec) + offset, &word, sizeof(word));
        tame(&spec);
        Message message = create_message(spec, input_->take() % 4u);
        const size_t rest = message.body.size() - sizeof(spec);
        const auto change = input_->take();
        if (rest != 0 && change != 0) {
            message.body[sizeof(spec) + input_->take<uint16_t>() % rest] ^= change;
        }
        return message;
    }

    Message of_process() {
        static constexpr MessageType types[] = {MessageType::kSegment, MessageType::kRegister, MessageType::kDeregister,
                                                MessageType::kDetach,  MessageType::kStat,     MessageType::kAgentMode,
                                                MessageType::kAbort,   MessageType::kTrace};
        const MessageType type = types[input_->take() % std::size(types)];
        const auto first = input_->take<int8_t>();
        const auto second = input_->take<int8_t>();
        if (type == MessageType::kRegister) {
            return message_of(type, RegisterRequest{first < 0 ? input_->take<uint64_t>() | 1 : uint64_t(first) * 4096});
        }
        return message_of(type, SegmentRequest{static_cast<uint32_t>(first), static_cast<uint32_t>(second)});
    }

    Message arbitrary() {
        Message message;
        message.type = static_cast<MessageType>(input_->take() % (static_cast<uint16_t>(MessageType::kTraces) + 2));
        message.status = input_->take<int8_t>();
        message.body.resize(input_->take<uint16_t>() % 1024);
        input_->take(message.body.data(), message.body.size());
        JobSpec spec;
        if (message.type == MessageType::kCreateJob && message.read(&spec)) {
            tame(&spec);
            std::memcpy(message.body.data(), &spec, sizeof(spec));
        }
        return message;
    }

    void send(Channel* client, const Message& message) {
        const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        (void)client->send(message, std::vector<int>(message.status == 7 ? 3 : 0, null));
        ::close(null);
        settle(client);
    }

    void send_raw(Channel* client) {
        uint8_t bytes[256];
        const size_t count = input_->take();
        input_->take(bytes, sizeof(bytes));
        if (count >= sizeof(MessageHeader) && input_->take() % 2 == 0) {
            const MessageHeader head = {daemon_magic, daemon_version, static_cast<uint16_t>(bytes[0] % 18 + 3),
                                        static_cast<uint32_t>(count - sizeof(MessageHeader)), 0};
            std::memcpy(bytes, &head, sizeof(head));
        }
        (void)!::send(client->fd(), bytes, count, MSG_NOSIGNAL);
        settle(client);
    }

    // Lets the daemon answer; a client that was hung up on is gone.
    void settle(Channel* client) {
        server_->pump();
        Message answer;
        for (;;) {
            switch (client->receive(&answer, false)) {
                case Channel::Received::kMessage:
                    break;
                case Channel::Received::kNothing:
                    return;
                case Channel::Received::kNonsense:
                    std::abort();  // the daemon always speaks its protocol
                case Channel::Received::kClosed:
                    client->close();
                    return;
            }
        }
    }

    InProcess* const server_;
    Input* const input_;
    Channel clients_[4];
};

// The clients of all inputs are one user's, and come as fast as they can.
AdmissionLimits no_limits() {
    const RateLimit none(1'000'000'000, 1'000'000'000);
    return {.requests = none, .connections = none, .job_requests = none};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static InProcess server("/fuzz", no_limits());
    spdlog::set_level(spdlog::level::off);
    Input input(data, size);
    Session(&server, &input).run();
    Channel client = server.greeted();
    const Message answer = server.ask(&client, message_of(MessageType::kStat));
    if (answer.type != MessageType::kStat || answer.status != SYNCLINE_OK || answer.text() != "[]") {
        std::abort();
    }
    return 0;
}
