// SPDX-License-Identifier: BSD-3-Clause
// A library that is loaded at run time: a launcher's, or libxdp. It stays loaded, because another user of it may have
// loaded it without this object.
#pragma once

#include <dlfcn.h>

#include <string>

#include "base/failure.h"

namespace syncline {

class LoadedLibrary {
  public:
    // `name` is the file's name; `title` and `package` are for messages.
    LoadedLibrary(const char* name, int flags, const char* title, const char* package)
        : handle_(::dlopen(name, RTLD_NOW | flags)), title_(title) {
        if (handle_ == nullptr) {
            why_not_ = fmt::format("the {} library cannot be loaded: {}; install it (Debian: {})", title, ::dlerror(),
                                   package);
        }
    }

    // Returns why the library is not there, or "".
    const std::string& why_not() const { return why_not_; }

    // Throws Failure unless the library is there.
    void check() const {
        if (!why_not_.empty()) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "a {} launcher has started this process, but {}", title_, why_not_);
        }
    }

    template <typename Function>
    void find(const char* name, Function* function) const {
        *function = reinterpret_cast<Function>(::dlsym(handle_, name));
        if (*function == nullptr) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "the {} library has no {}: it is too old", title_, name);
        }
    }

  private:
    void* const handle_;
    const char* const title_;
    std::string why_not_;
};

}  // namespace syncline
