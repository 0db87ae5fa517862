// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/lifetime.h"

#include <utility>

#include "api/shmem/library.h"
#include "base/failure.h"
#include "runtime/process/lifetime.h"

namespace syncline::shmem {
namespace {

constexpr const char* front_end = "OpenSHMEM";

bool attached_here = false;  // by join(), not by the program's own syncline_init()
Library* resting_library = nullptr;

// `change` puts the process to rest, or takes the job up again.
void change_lifetime(void (*change)()) {
    try {
        change();
    } catch (const Failure& failure) {
        die(failure.what());
    }
}

}  // namespace

void join() {
    if (lifetime() == Lifetime::kResting) {
        change_lifetime(resume_job);
    } else if (process == nullptr) {
        check(join_job({}));
        attached_here = true;
    }
    hold_job(front_end);
    library = std::exchange(resting_library, nullptr);
}

void leave() {
    int status = process->barrier();
    if (const int late = process->endpoint().posting().quiet(); status == SYNCLINE_OK) {
        status = late;
    }
    check(status);
    process->part();
    let_go_of_job(front_end);
    if (attached_here) {
        change_lifetime(rest_in_job);
    }
    resting_library = std::exchange(library, nullptr);
}

bool is_needed_yet() {
    return is_used_beside(front_end);
}

void disown() {
    parents_library = library != nullptr ? library : std::exchange(resting_library, nullptr);
    library = nullptr;
}

}  // namespace syncline::shmem
