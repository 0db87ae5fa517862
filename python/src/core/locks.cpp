// SPDX-License-Identifier: BSD-3-Clause
#include "locks.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>

#include "arrays.h"
#include "job.h"
#include "waits.h"

namespace syncline_python {
namespace {

// One kind of lock of the C API: how to make and end it, and how to wait for it. A wait is one with a deadline in
// slices, so Ctrl-C finds this PE as a timeout does: without the lock, and its place in a queue is passed over.
template <typename Handle, auto destroy>
class Lockable {
  public:
    Lockable() = default;
    Lockable(const Lockable&) = delete;
    Lockable& operator=(const Lockable&) = delete;

    Handle handle() const {
        if (handle_ == nullptr) {
            fail(SYNCLINE_ERR_INVALID, "the lock is destroyed");
        }
        return handle_;
    }
    template <typename Create>
    void create(const char* call, int home, Create&& make) {
        world().meet(call);
        check(without_gil([&] { return make(home, &handle_); }));
    }
    // The library ends what a program leaves, at finalize().
    void end() {
        Handle const handle = this->handle();
        world().meet("destroy");
        handle_ = nullptr;
        check(without_gil([&] { return destroy(handle); }));
    }

  private:
    Handle handle_ = nullptr;
};

using Lock = Lockable<syncline_lock_t*, syncline_lock_destroy>;
using RwLock = Lockable<syncline_rwlock_t*, syncline_rwlock_destroy>;
using Semaphore = Lockable<syncline_semaphore_t*, syncline_semaphore_destroy>;

// As threading.Lock.acquire(blocking, timeout): False if it has not got the lock.
template <auto try_acquire, auto acquire_timed, typename Object>
bool acquire(Object& object, bool blocking, std::optional<double> seconds) {
    auto* const handle = object.handle();
    if (!blocking) {
        const int status = without_gil([&] { return try_acquire(handle); });
        return status != SYNCLINE_ERR_BUSY && (check(status), true);
    }
    return wait_in_slices(Timeout(seconds), [&](int64_t slice) { return acquire_timed(handle, slice); });
}

constexpr auto acquire_lock = &acquire<syncline_lock_try_acquire, syncline_lock_acquire_timed, Lock>;
constexpr auto acquire_reading = &acquire<syncline_rwlock_read_try_acquire, syncline_rwlock_read_acquire_timed, RwLock>;
constexpr auto acquire_writing =
    &acquire<syncline_rwlock_write_try_acquire, syncline_rwlock_write_acquire_timed, RwLock>;
constexpr auto acquire_unit = &acquire<syncline_semaphore_try_acquire, syncline_semaphore_acquire_timed, Semaphore>;

const std::map<std::string, syncline_lock_kind> kinds = {{"mcs", SYNCLINE_LOCK_MCS},
                                                         {"local-release", SYNCLINE_LOCK_LOCAL_RELEASE},
                                                         {"ticket", SYNCLINE_LOCK_TICKET},
                                                         {"hybrid", SYNCLINE_LOCK_HYBRID}};

void make_lock(Lock* lock, int home, const std::string& kind) {
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
        throw nb::value_error("a kind of lock is \"mcs\", \"local-release\", \"ticket\" or \"hybrid\"");
    }
    new (lock) Lock;
    lock->create("Lock", home,
                 [&](int at, syncline_lock_t** handle) { return syncline_lock_create(found->second, at, handle); });
}

void release_lock(Lock& lock) {
    syncline_lock_t* const handle = lock.handle();
    check(without_gil([&] { return syncline_lock_release(handle); }));
}

void release_rwlock(RwLock& lock) {
    syncline_rwlock_t* const handle = lock.handle();
    check(without_gil([&] { return syncline_rwlock_release(handle); }));
}

void release_units(Semaphore& semaphore, uint32_t units) {
    syncline_semaphore_t* const handle = semaphore.handle();
    check(without_gil([&] { return syncline_semaphore_release(handle, units); }));
}

nb::dict counts_of(const Lock& lock) {
    syncline_lock_counts_t counts = {};
    check(syncline_lock_get_counts(lock.handle(), &counts));
    nb::dict dictionary;
    dictionary["acquired"] = counts.acquired;
    dictionary["waited"] = counts.waited;
    dictionary["requests"] = counts.requests;
    dictionary["inspections"] = counts.inspections;
    return dictionary;
}

constexpr const char* acquire_text =
    R"(Takes it; first come, first served. False: `blocking` is False and it is taken, or `timeout` seconds have
passed. After Ctrl-C, too, this PE has not got it, and holds up no PE that queues behind. Raises PeerError once a PE
that had it or waited for it is gone and it cannot be taken any more.)";
constexpr const char* destroy_text = "Collective; no PE may have it. finalize() ends what is left.";

void bind_lock(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<Lock>(
        module, "Lock",
        R"(Lock(home=0, kind="mcs"): a lock between the PEs of the job, whose common word is at PE `home`. Creating it is
collective. `with lock:` works. All that the holder has done before its release is complete at its targets before
the next acquire returns.

It belongs to the PE, not to a thread: threads of one PE that share it take a threading.Lock first.
Kinds: "mcs" and "local-release" queue and wait on own memory (docs/LOCKS.md); "ticket" and "hybrid" are
baselines, which poll here and are not fair.)")
        .def("__init__", &make_lock, "home"_a = 0, "kind"_a = "mcs",
             nb::sig("def __init__(self, home: int = 0, kind: typing.Literal['mcs', 'local-release', 'ticket', "
                     "'hybrid'] = 'mcs') -> None"))
        .def("acquire", acquire_lock, "blocking"_a = true, "timeout"_a = nb::none(), acquire_text)
        .def("release", &release_lock,
             R"(Lets the next PE have it. Completes what this PE has started before, and raises its error; the lock
is released all the same.)")
        .def(
            "__enter__", [](nb::object self) { return acquire_lock(nb::cast<Lock&>(self), true, std::nullopt), self; },
            nb::sig("def __enter__(self) -> Lock"))
        .def(
            "__exit__", [](Lock& lock, nb::args) { release_lock(lock); },
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def("counts", &counts_of, nb::sig("def counts(self) -> dict[str, int]"),
             "This PE's calls on it and their cost: acquired, waited, requests (to other PEs), inspections.")
        .def("destroy", &Lock::end, destroy_text);
}

void bind_rwlock(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<RwLock>(module, "_RWLock")
        .def(
            "__init__",
            [](RwLock* lock, int home) { (new (lock) RwLock)->create("RWLock", home, syncline_rwlock_create); },
            "home"_a = 0)
        .def("acquire_read", acquire_reading, "blocking"_a = true, "timeout"_a = nb::none(),
             "Takes it as a reader, together with other readers. Otherwise as Lock.acquire().")
        .def("acquire_write", acquire_writing, "blocking"_a = true, "timeout"_a = nb::none(),
             "Takes it as the only writer. Otherwise as Lock.acquire().")
        .def("release", &release_rwlock, "Gives it back, as what it was taken. Otherwise as Lock.release().")
        .def("destroy", &RwLock::end, destroy_text);
}

void bind_semaphore(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<Semaphore>(
        module, "Semaphore",
        R"(Semaphore(units=1, home=0): a counting semaphore between the PEs. Creating it is collective. A PE may take several
units, and give back what another PE has taken. `with semaphore:` takes one.)")
        .def(
            "__init__",
            [](Semaphore* semaphore, uint32_t units, int home) {
                (new (semaphore) Semaphore)->create("Semaphore", home, [&](int at, syncline_semaphore_t** handle) {
                    return syncline_semaphore_create(units, at, handle);
                });
            },
            "units"_a = 1, "home"_a = 0)
        .def("acquire", acquire_unit, "blocking"_a = true, "timeout"_a = nb::none(), acquire_text)
        .def("release", &release_units, "units"_a = 1, "Gives units back. Completes what this PE has started before.")
        .def(
            "__enter__",
            [](nb::object self) { return acquire_unit(nb::cast<Semaphore&>(self), true, std::nullopt), self; },
            nb::sig("def __enter__(self) -> Semaphore"))
        .def(
            "__exit__", [](Semaphore& semaphore, nb::args) { release_units(semaphore, 1); },
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def("destroy", &Semaphore::end, destroy_text);
}

}  // namespace

void bind_locks(nb::module_& module) {
    bind_lock(module);
    bind_rwlock(module);
    bind_semaphore(module);
}

}  // namespace syncline_python
