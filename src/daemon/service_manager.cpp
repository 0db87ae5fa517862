// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/service_manager.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/unique_fd.h"

namespace syncline {
namespace {

// The flag %P of a pattern.
class Priority final : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
        const int priority = message.level >= spdlog::level::critical ? 2
                             : message.level == spdlog::level::err    ? 3
                             : message.level == spdlog::level::warn   ? 4
                             : message.level == spdlog::level::info   ? 6
                                                                      : 7;
        fmt::format_to(std::back_inserter(line), "<{}>", priority);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Priority>(); }
};

}  // namespace

void notify_manager(const std::string& line) {
    const char* const name = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address = {};
    if (name == nullptr || (name[0] != '/' && name[0] != '@') || std::strlen(name) >= sizeof(address.sun_path)) {
        return;
    }
    address.sun_family = AF_UNIX;
    const size_t length = std::strlen(name);
    std::memcpy(address.sun_path, name, length);
    if (name[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    (void)::sendto(socket.get(), line.data(), line.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

bool logs_to_journal() {
    const char* const stream = std::getenv("JOURNAL_STREAM");
    struct stat status = {};
    return stream != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
           stream == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

std::shared_ptr<spdlog::logger> make_logger() {
    if (!logs_to_journal()) {
        return spdlog::stderr_color_mt("synclined");
    }
    auto logger = spdlog::stderr_logger_mt("synclined");
    auto pattern = std::make_unique<spdlog::pattern_formatter>();
    pattern->add_flag<Priority>('P').set_pattern("%P%v");
    logger->set_formatter(std::move(pattern));
    return logger;
}

}  // namespace syncline
