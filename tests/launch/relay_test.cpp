// SPDX-License-Identifier: BSD-3-Clause
// Method: a server of the test's own, and clients that talk, stop reading, hang up and say nothing.
#include "launch/relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/clock.h"

namespace syncline {
namespace {

class RelayTest : public testing::Test {
  protected:
    void SetUp() override {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof(address);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
        ASSERT_EQ(::bind(listener_.get(), any, length), 0);
        ASSERT_EQ(::listen(listener_.get(), 10), 0);
        ASSERT_EQ(::getsockname(listener_.get(), any, &length), 0);
        relay_.emplace(ntohs(address.sin_port));
    }

    UniqueFd connect() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        relay_->add(UniqueFd(ends[1]));
        return UniqueFd(ends[0]);
    }

    void turn() {
        std::vector<pollfd> polled;
        relay_->append_to(&polled);
        if (::poll(polled.data(), polled.size(), 2) > 0) {
            relay_->serve(polled.data());
        }
    }

    UniqueFd accept() { return UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK)); }

    // All that comes until `count` bytes are there, or nothing comes any more.
    std::string receive(int fd, size_t count) {
        std::string all;
        for (int idle = 0; all.size() < count && idle < 100; idle++) {
            char bytes[65536];
            for (ssize_t some; (some = ::read(fd, bytes, sizeof(bytes))) > 0; idle = 0) {
                all.append(bytes, static_cast<size_t>(some));
            }
            turn();
        }
        return all;
    }

    static bool has_ended(int fd) {
        char byte;
        return ::read(fd, &byte, 1) == 0;
    }

    UniqueFd listener_;
    std::optional<Relay> relay_;
};

TEST_F(RelayTest, CarriesBothWays) {
    const UniqueFd client = connect();
    ASSERT_EQ(::write(client.get(), "question", 8), 8);
    turn();
    const UniqueFd server = accept();
    ASSERT_TRUE(server);
    EXPECT_EQ(receive(server.get(), 8), "question");
    ASSERT_EQ(::write(server.get(), "answer", 6), 6);
    EXPECT_EQ(receive(client.get(), 6), "answer");
}

TEST_F(RelayTest, KeepsWhatASideDoesNotTakeYet) {
    const UniqueFd client = connect();
    ASSERT_EQ(::write(client.get(), "x", 1), 1);
    turn();
    const UniqueFd server = accept();
    std::string sent;
    for (int i = 0; i < 300; i++) {
        const std::string some(50'000, static_cast<char>('a' + i % 26));
        if (const ssize_t count = ::write(server.get(), some.data(), some.size()); count > 0) {
            sent += some.substr(0, static_cast<size_t>(count));
        }
        turn();
    }
    EXPECT_GT(sent.size(), 1'000'000u);
    EXPECT_EQ(receive(client.get(), sent.size()), sent);
}

TEST_F(RelayTest, AServerHearsNothingOfOneThatSaysNothing) {
    UniqueFd client = connect();
    turn();
    EXPECT_FALSE(accept());
    EXPECT_FALSE(relay_->all_ended());
    client.reset();
    turn();
    EXPECT_FALSE(accept());
    EXPECT_TRUE(relay_->all_ended());
}

TEST_F(RelayTest, AServerHearsOfADeathLater) {
    UniqueFd client = connect();
    ASSERT_EQ(::write(client.get(), "last words", 10), 10);
    client.reset();
    turn();
    const UniqueFd server = accept();
    EXPECT_EQ(receive(server.get(), 10), "last words");
    EXPECT_TRUE(relay_->all_ended());
    EXPECT_TRUE(relay_->tell_of_deaths(now_ns()));
    EXPECT_FALSE(has_ended(server.get()));
    EXPECT_EQ(::send(server.get(), "to the dead", 11, MSG_NOSIGNAL), 11);
    turn();
    EXPECT_EQ(::send(server.get(), "to the dead", 11, MSG_NOSIGNAL), 11) << "the server gets no error";
    EXPECT_FALSE(relay_->tell_of_deaths(now_ns() + 2 * ns_per_s));
    EXPECT_TRUE(has_ended(server.get()));
}

TEST_F(RelayTest, AClientHearsOfItsServersEnd) {
    const UniqueFd client = connect();
    ASSERT_EQ(::write(client.get(), "x", 1), 1);
    turn();
    UniqueFd server = accept();
    EXPECT_EQ(receive(server.get(), 1), "x");
    ASSERT_EQ(::write(server.get(), "refused", 7), 7);
    server.reset();
    EXPECT_EQ(receive(client.get(), 8), "refused");
    EXPECT_TRUE(has_ended(client.get()));
}

}  // namespace
}  // namespace syncline
