// SPDX-License-Identifier: BSD-3-Clause
// A directory of this user below TMPDIR, for as long as the object lives. A process that is killed leaves its own; the
// next one finds that the lock on it is free, and removes it.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace syncline {

class SessionDirectory {
  public:
    // Throws Failure.
    SessionDirectory();
    ~SessionDirectory();
    SessionDirectory(const SessionDirectory&) = delete;
    SessionDirectory& operator=(const SessionDirectory&) = delete;

    const std::string& path() const { return path_; }
    // Makes a directory in it, and returns its path. Throws Failure.
    std::string add(const std::string& name) const;

  private:
    std::string path_;
    UniqueFd lock_;
};

}  // namespace syncline
