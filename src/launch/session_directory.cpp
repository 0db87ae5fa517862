// SPDX-License-Identifier: BSD-3-Clause
#include "launch/session_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/failure.h"

namespace syncline {
namespace {

constexpr const char* prefix = "syncline-mpi-";

std::string directory_of_all() {
    const char* const wanted = std::getenv("TMPDIR");
    return wanted != nullptr && ::access(wanted, W_OK | X_OK) == 0 ? wanted : "/tmp";
}

// Empty: it is no directory of this user, or a process holds it.
UniqueFd lock(const std::string& path, int patience) {
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat found = {};
    const bool ours = directory && ::fstat(directory.get(), &found) == 0 && found.st_uid == ::geteuid();
    return ours && ::flock(directory.get(), LOCK_EX | patience) == 0 ? std::move(directory) : UniqueFd();
}

void remove_tree(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

void remove_abandoned(const std::string& all) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(all, error), end; !error && entry != end; entry.increment(error)) {
        const std::string path = entry->path();
        if (entry->path().filename().string().starts_with(prefix) && lock(path, LOCK_NB)) {
            remove_tree(path);
        }
    }
}

// Another process may see a directory in the moment before its lock, and remove it.
bool is_there(const UniqueFd& directory) {
    struct stat found = {};
    return directory && ::fstat(directory.get(), &found) == 0 && found.st_nlink != 0;
}

}  // namespace

SessionDirectory::SessionDirectory() {
    const std::string all = directory_of_all();
    remove_abandoned(all);
    for (int attempt = 0; attempt < 10; attempt++) {
        path_ = all + "/" + prefix + "XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a directory in {}", all);
        }
        lock_ = lock(path_, 0);
        if (is_there(lock_)) {
            return;
        }
    }
    remove_tree(path_);
    fail(SYNCLINE_ERR_SYSTEM, "cannot lock a directory in {}: set TMPDIR to one of another file system", all);
}

SessionDirectory::~SessionDirectory() {
    remove_tree(path_);
}

std::string SessionDirectory::add(const std::string& name) const {
    const std::string path = path_ + "/" + name;
    if (::mkdir(path.c_str(), 0700) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create {}", path);
    }
    return path;
}

}  // namespace syncline
