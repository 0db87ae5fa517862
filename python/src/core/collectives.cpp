// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <utility>

#include "job.h"
#include "memory.h"

namespace syncline_python {

Group::Group(int number, std::vector<int> ranks) : number_(number), ranks_(std::move(ranks)) {
    check(without_gil([&] { return syncline_alloc(scratch_bytes, 0, &scratch_); }));
    if (ranks_.empty()) {
        ranks_.resize(static_cast<size_t>(check_count(syncline_size())));
        std::iota(ranks_.begin(), ranks_.end(), 0);
    }
    if (std::find(ranks_.begin(), ranks_.end(), syncline_rank()) != ranks_.end()) {
        check(without_gil([&] {
            return syncline_barrier_open(number_, ranks_.data(), static_cast<int>(ranks_.size()), nullptr, &handle_);
        }));
    }
}

// Tests for a part of a slice: done, _TIMEOUT, or what is wrong.
int Group::look() {
    constexpr int tests_before_nap = 64;
    constexpr auto patience = std::chrono::milliseconds(50);
    const Clock::time_point end = Clock::now() + patience;
    for (int turn = 0;; turn++) {
        int done = 0;
        if (const int status = syncline_barrier_test(handle_, &done); status != SYNCLINE_OK || done != 0) {
            return status;
        }
        if (turn < tests_before_nap) {
            continue;
        }
        if (const int status = nap(turn); status != SYNCLINE_ERR_TIMEOUT || Clock::now() >= end) {
            return status;
        }
    }
}

void Group::expect_usable(const char* call) const {
    if (!is_member()) {
        fail(SYNCLINE_ERR_INVALID, std::string(call) + "() is for the members of the group, and this PE is none");
    }
    if (is_interrupted()) {
        fail(SYNCLINE_ERR_INVALID, std::string(call) + "() cannot follow " + interrupted_ +
                                       "(), which an exception such as Ctrl-C's has left half done; end the program");
    }
    if (in_use_) {
        fail(SYNCLINE_ERR_INVALID, std::string(call) +
                                       "() is called while another thread of this PE is in a collective "
                                       "call of the group; one thread at a time");
    }
}

template <typename Start>
int Group::round(const char* call, Start&& start) {
    expect_usable(call);
    in_use_ = true;
    int status = without_gil([&] {
        const int started = start();
        return started != SYNCLINE_OK ? started : is_main_thread() ? look() : syncline_barrier_wait(handle_);
    });
    while (status == SYNCLINE_ERR_TIMEOUT) {
        if (PyErr_CheckSignals() != 0) {
            interrupted_ = call;
            in_use_ = false;
            throw nb::python_error();
        }
        status = without_gil([&] { return look(); });
    }
    in_use_ = false;
    return status;
}

int Group::try_meet(const char* call) {
    return round(call, [&] { return syncline_barrier_start(handle_); });
}

void Group::meet(const char* call) {
    check(try_meet(call));
}

void Group::barrier() {
    expect_usable("barrier");
    const int quiet = interruptibly(syncline_quiet);
    const std::string why = quiet != SYNCLINE_OK ? syncline_last_error() : "";
    meet("barrier");
    if (quiet != SYNCLINE_OK) {
        fail(quiet, why);
    }
}

namespace {

struct Combination {
    syncline_combine integer;
    syncline_combine real;  // or again the one of integers, which reals do not have
};
const std::map<std::string, Combination> combinations = {
    {"sum", {SYNCLINE_SUM, SYNCLINE_SUM_DOUBLE}}, {"min", {SYNCLINE_MIN, SYNCLINE_MIN_DOUBLE}},
    {"max", {SYNCLINE_MAX, SYNCLINE_MAX_DOUBLE}}, {"and", {SYNCLINE_BITAND, SYNCLINE_BITAND}},
    {"or", {SYNCLINE_BITOR, SYNCLINE_BITOR}},     {"xor", {SYNCLINE_BITXOR, SYNCLINE_BITXOR}},
};

int64_t whole_number(nb::handle value) {
    const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
    const long long whole = number.is_valid() ? PyLong_AsLongLong(number.ptr()) : -1;
    if (whole == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return whole;
}

}  // namespace

template <typename Number>
nb::object Group::combine(syncline_combine how, Number number) {
    check(round("reduce", [&] { return syncline_reduce_start(handle_, how, &number); }));
    check(syncline_reduce_result(handle_, &number));
    return nb::cast(number);
}

nb::object Group::reduce(nb::handle value, const std::string& how) {
    const auto found = combinations.find(how);
    if (found == combinations.end()) {
        throw nb::value_error("a reduction is \"sum\", \"min\", \"max\", \"and\", \"or\" or \"xor\"");
    }
    const bool is_integer = PyIndex_Check(value.ptr()) != 0;
    if (!is_integer && found->second.real == found->second.integer) {
        throw nb::type_error("\"and\", \"or\" and \"xor\" are for whole numbers");
    }
    const auto operation = is_integer ? found->second.integer : found->second.real;
    if (is_integer) {
        return combine(operation, whole_number(value));
    }
    return combine(operation, nb::cast<double>(nb::float_(value)));
}

uint64_t Group::broadcast(int root, uint64_t value) {
    if (std::find(ranks_.begin(), ranks_.end(), root) == ranks_.end()) {
        fail(SYNCLINE_ERR_INVALID, "PE " + std::to_string(root) + " is no member of the group and cannot be the root");
    }
    uint64_t word = root == syncline_rank() ? value : 0;
    check(round("broadcast", [&] { return syncline_reduce_start(handle_, SYNCLINE_BITOR, &word); }));
    check(syncline_reduce_result(handle_, &word));
    return word;
}

nb::object Group::scratch() const {
    return array_over(syncline_local(scratch_), scratch_bytes);
}

int Group::close_handle() {
    syncline_barrier_t handle = std::exchange(handle_, nullptr);
    return handle != nullptr && !is_interrupted() ? syncline_barrier_close(handle) : static_cast<int>(SYNCLINE_OK);
}

namespace {

// All PEs open and close groups together, so their numbers agree. Number 0 is that of all PEs.
std::bitset<SYNCLINE_BARRIERS_MAX> numbers_taken{1};

int take_number() {
    for (int number = 1; number < SYNCLINE_BARRIERS_MAX; number++) {
        if (!numbers_taken[static_cast<size_t>(number)]) {
            numbers_taken.set(static_cast<size_t>(number));
            return number;
        }
    }
    fail(SYNCLINE_ERR_BUSY, "a job has at most 63 groups at a time; close one");
}

void open_group(Group* group, std::vector<int> ranks) {
    if (ranks.empty()) {
        throw nb::value_error("a group has at least one member");
    }
    world().meet("Group");
    new (group) Group(take_number(), std::move(ranks));
}

void close_group(Group* group) {
    if (group->number() == 0) {
        fail(SYNCLINE_ERR_INVALID, "the group of all PEs ends with finalize()");
    }
    world().meet("close");
    check(without_gil([&] { return group->close_handle(); }));
    numbers_taken.reset(static_cast<size_t>(group->number()));
    check(without_gil([&] { return syncline_free(group->scratch_address()); }));
}

}  // namespace

void bind_collectives(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<Group>(
        module, "Group",
        R"(Some PEs of the job, for collective calls among them: Group([0, 2, 4]). Collective among all PEs of the
job, with the same ranks; those that are no members have an object, too, and no call of it but close().
At most 63 at a time. One thread of a PE at a time is in a call of a group.)")
        .def("__init__", &open_group, "ranks"_a)
        .def_prop_ro("ranks", &Group::ranks, "The members' ranks, in the given order.")
        .def_prop_ro("is_member", &Group::is_member, "Is this PE a member?")
        .def("close", &close_group, "Collective among all PEs of the job. Gives the group's number and memory back.")
        .def("_barrier", &Group::barrier)
        .def(
            "_meet", [](Group& group, const std::string& call) { group.meet(call.c_str()); }, "call"_a)
        .def("_reduce", &Group::reduce, "value"_a, "how"_a,
             nb::sig("def _reduce(self, value: int | float, how: str) -> int | float"))
        .def("_broadcast", &Group::broadcast, "root"_a, "value"_a)
        .def("_scratch", &Group::scratch, nb::sig("def _scratch(self) -> numpy.typing.NDArray[numpy.uint8]"))
        .def("_interrupt", &Group::interrupt, "call"_a);
}

}  // namespace syncline_python
