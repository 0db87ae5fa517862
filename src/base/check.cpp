// SPDX-License-Identifier: BSD-3-Clause
#include "base/check.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<void (*)()> print_at_failure{nullptr};

}  // namespace

int syncline_checks_shared_words = 1;

// It allocates nothing: the heap may be what is wrong.
void syncline_check_failed(const char* condition, const char* file, int line, const char* format, ...) {
    char text[1024];
    const int most = static_cast<int>(sizeof(text)) - 2;
    int length = std::snprintf(text, sizeof(text), "syncline: a mistake in this library: %s:%d expects %s: ", file,
                               line, condition);
    length = std::min(length, most);
    va_list values;
    va_start(values, format);
    length += std::vsnprintf(text + length, sizeof(text) - static_cast<size_t>(length), format, values);
    va_end(values);
    length = std::min(length, most);
    text[length++] = '\n';
    (void)!::write(STDERR_FILENO, text, static_cast<size_t>(length));
    if (void (*const print)() = print_at_failure.exchange(nullptr); print != nullptr) {
        print();
    }
    std::abort();
}

void syncline_at_failed_check(void (*print)()) {
    print_at_failure.store(print);
}
