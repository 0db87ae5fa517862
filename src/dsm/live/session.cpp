// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/failure.h"
#include "base/memory_file.h"
#include "base/sizes.h"
#include "dsm/live/resumption.h"
#include "runtime/collective/barrier_numbers.h"
#include "runtime/ground/error_text.h"
#include "runtime/process/lifetime.h"
#include "syncline/dsm.h"

namespace syncline::dsm {
namespace {

constexpr uint64_t segment_alignment = 1u << 21;
// Linux maps nothing here by itself on processors with 47 bits of address or more. The first place that is free in all
// processes is taken.
constexpr uint64_t first_place = uint64_t{0x2000} << 32;
constexpr uint64_t places = 64;
constexpr uint64_t place_step = uint64_t{1} << 40;

void check(int status) {
    if (status != SYNCLINE_OK) {
        throw Failure(status, last_sentence());
    }
}

std::vector<uint32_t> all_ranks(uint32_t size) {
    std::vector<uint32_t> ranks(size);
    for (uint32_t rank = 0; rank < size; rank++) {
        ranks[rank] = rank;
    }
    return ranks;
}

// Process 0 takes a number of the NICs' barriers and publishes it in a symmetric word.
int agree_on_number(Process* process) {
    syncline_address_t address = 0;
    check(process->allocate(sizeof(uint64_t), 0, &address));
    auto* const word = static_cast<uint64_t*>(process->endpoint().memory().local(address));
    int number = -1;
    if (process->rank() == 0) {
        check(take_barrier_number(&process->endpoint().atomics(), &number));
        *word = static_cast<uint64_t>(number) + 1;
    }
    check(process->barrier());
    uint64_t seen = 0;
    check(process->endpoint().bulk().get(0, address, &seen, sizeof(seen)));
    check(process->free(address));
    if (seen == 0) {
        fail(SYNCLINE_ERR_BUSY, "all numbers of barriers are in use; close one");
    }
    return static_cast<int>(seen) - 1;
}

}  // namespace

// Delegates to the other constructor, so that a failure destroys the parts that exist already.
Session::Session(Process* process, const SessionOptions& options) : Session(process) {
    number_ = agree_on_number(process);
    barrier_ = open_barrier(&process->endpoint(), &process->barrier_history(), static_cast<uint32_t>(number_),
                            all_ranks(process->size()), {});
    agree(options);
    const auto pages = static_cast<uint32_t>(round_up(options.bytes, page_bytes) / page_bytes);
    const Shape shape = {process->size(), pages, options.locks, options.protocol != Protocol::kNic};
    map(pages, options.means);
    const Layout layout(shape);
    make_segment(layout.bytes, layout.slots);
    try {
        start(shape, options.protocol);
    } catch (const std::exception& exception) {  // other processes have started, and would wait
        std::fprintf(stderr, "syncline: process %u cannot start its part of shared memory: %s\n", process->rank(),
                     exception.what());
        abort_job(1);
    }
    shared_->barrier();
}

void Session::start(const Shape& shape, Protocol protocol) {
    shared_ =
        std::make_unique<SharedMemory>(SharedMemory::Parts{&process_->endpoint(), segment_address(), barrier_.get(),
                                                           view_.get(), [this](int status) { lose(status); }},
                                       shape, protocol);
    faults_ = std::make_unique<Faults>(view_->memory(), view_->bytes(), [this](uint64_t offset, bool write) {
        try {
            shared_->fault(static_cast<uint32_t>(offset / page_bytes), write);
        } catch (const std::exception& exception) {
            keep_error(SYNCLINE_ERR_SYSTEM, exception.what());
            lose(SYNCLINE_ERR_SYSTEM);
        }
    });
    allocator_ = std::make_unique<Allocator>(view_->memory(), view_->bytes());
    if (process_->rank() == 0) {
        allocator_->clear();
    }
}

// No process gives its segment back while another may still read notices there.
Session::~Session() {
    if (shared_ != nullptr && barrier_->start(Reduction::kNone, 0) == SYNCLINE_OK) {
        (void)barrier_->wait();
    }
    shared_.reset();
    faults_.reset();
    if (segment_ != 0) {
        try {
            process_->endpoint().memory().deregister_memory(segment_);
        } catch (const Failure&) {
            // The daemon is gone, and the segment with it.
        }
        ::munmap(segment_memory_, segment_bytes_);
    }
    if (barrier_ != nullptr && barrier_->close() == SYNCLINE_OK && process_->rank() == 0) {
        (void)give_back_barrier_number(&process_->endpoint().atomics(), number_);
    }
}

// A child that could write its parent's pages would bypass the protocol.
void Session::disown() {
    faults_->disown(process_->rank());
    view_->disown();
    ::munmap(segment_memory_, segment_bytes_);
}

// Names the processes that are gone, as far as an operation can tell: those whose segment is closed.
std::string Session::who_is_gone() const {
    std::string gone;
    for (uint32_t process = 0; process < process_->size(); process++) {
        uint64_t word = 0;
        if (process_->endpoint().bulk().get(static_cast<int>(process), segment_address(), &word, sizeof(word)) ==
            SYNCLINE_ERR_PEER) {
            gone += fmt::format("{}{}", gone.empty() ? "" : ", ", process);
        }
    }
    return gone;
}

// All processes find out, and one of them reports it: the first to add to a word of the first process that lives.
bool Session::is_first_to_lose() const {
    for (uint32_t process = 0; process < process_->size(); process++) {
        uint64_t finders = 0;
        AtomicCall call = {.operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH,
                           .rank = static_cast<int>(process),
                           .target = segment_address() + shared_->layout().take + sizeof(uint64_t)};
        call.operand[0] = 1;
        call.result = &finders;
        if (process_->endpoint().atomics().execute(call) == SYNCLINE_OK) {
            return finders == 0;
        }
    }
    return true;
}

// A part of the memory is gone with a process of the job. If that process has ended by itself or has asked for the end,
// `syncline run` reports it itself and ends the job.
void Session::lose(int status) {
    constexpr useconds_t patience_us = 500'000;
    const std::string cause = last_sentence();
    if (status != SYNCLINE_ERR_SYSTEM && process_->endpoint().attachment().is_watched()) {
        ::usleep(patience_us);
    }
    if (is_first_to_lose()) {
        const std::string gone = status == SYNCLINE_ERR_SYSTEM ? std::string() : who_is_gone();
        std::fprintf(stderr, "syncline: shared memory is lost: %s%s%s\n",
                     gone.empty() ? "" : ("process " + gone + " is gone").c_str(), gone.empty() ? "" : ": ",
                     cause.c_str());
    } else {
        ::sleep(1);  // the first process is about to end the job
    }
    abort_job(1);
}

bool Session::all_agree(bool own) {
    check(barrier_->start(Reduction::kAnd, own ? 1 : 0));
    check(barrier_->wait());
    return barrier_->result() == 1;
}

// A process that failed alone would leave the others waiting. So all compare their options first, and fail together.
void Session::agree(const SessionOptions& options) {
    const uint64_t digest =
        options.bytes * 0x9E3779B97F4A7C15u ^ uint64_t { options.locks } << 8 ^ static_cast<uint64_t>(options.protocol);
    check(barrier_->start(Reduction::kMin, digest));
    check(barrier_->wait());
    const bool equal = barrier_->result() == digest;
    if (!all_agree(equal)) {
        fail(SYNCLINE_ERR_INVALID, "the processes ask for different sizes, protocols or numbers of locks");
    }
    if (options.bytes == 0 || options.bytes > uint64_t{UINT32_MAX} * page_bytes || options.locks == 0 ||
        options.locks > (1u << 24)) {
        fail(SYNCLINE_ERR_INVALID, "{} bytes of shared memory, or {} locks, are too few or too many", options.bytes,
             options.locks);
    }
    const long system_page = ::sysconf(_SC_PAGESIZE);
    const bool resumes = resumes_with_registers();
    if (!all_agree(system_page == page_bytes && resumes)) {
        if (!resumes) {
            fail(SYNCLINE_ERR_UNSUPPORTED,
                 "valgrind loses registers of code that shared memory interrupts; start it with "
                 "--vex-iropt-register-updates=allregs-at-mem-access");
        }
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "shared memory needs pages of {} bytes in all processes; in this one they have {}", page_bytes,
             system_page);
    }
}

void Session::map(uint32_t pages, MappedView::Means means) {
    if (means == MappedView::Means::kUserfault && !MappedView::has_userfault()) {
        means = MappedView::Means::kProtection;
    }
    if (!all_agree(may_have_file_of(uint64_t{pages} * page_bytes))) {
        fail(SYNCLINE_ERR_NO_MEMORY,
             "{} bytes of shared memory are more than a file may have: raise the limit (ulimit -f)",
             uint64_t{pages} * page_bytes);
    }
    for (uint64_t place = 0; place < places; place++) {
        auto* const address = reinterpret_cast<uint8_t*>(first_place + place * place_step);
        view_ = MappedView::create(address, pages, means);
        if (all_agree(view_ != nullptr)) {
            return;
        }
        view_.reset();
    }
    fail(SYNCLINE_ERR_NO_MEMORY, "no address is free in all processes for {} pages of shared memory", pages);
}

void Session::make_segment(uint64_t bytes, uint64_t slots) {
    std::optional<Failure> failure;
    void* const room = ::mmap(nullptr, bytes + segment_alignment, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        failure.emplace(SYNCLINE_ERR_NO_MEMORY, fmt::format("there is no address space for {} bytes", bytes));
    } else {
        auto* const first = static_cast<uint8_t*>(room);
        auto* const base = reinterpret_cast<uint8_t*>(round_up(reinterpret_cast<uint64_t>(room), segment_alignment));
        ::munmap(first, static_cast<size_t>(base - first));
        ::munmap(base + bytes, segment_alignment - static_cast<size_t>(base - first));
        segment_memory_ = base;
        segment_bytes_ = bytes;
        try {
            const bool is_own = process_->endpoint().attachment().alone();
            UniqueFd file = make_memory_file("syncline-dsm-alone", is_own ? bytes : 0);
            if (is_own &&
                (!file || ::mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0) != base)) {
                fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot make {} bytes of memory", bytes);
            }
            segment_ = process_->endpoint().memory().register_memory(base, bytes, Attachment::Contents::kNew,
                                                                     is_own ? nullptr : &file);
            view_->set_segment(std::move(file), slots);
        } catch (const Failure& thrown) {
            failure.emplace(thrown);
            ::munmap(base, bytes);
        }
    }
    if (!all_agree(!failure)) {
        throw failure ? *failure
                      : Failure(SYNCLINE_ERR_NO_MEMORY, "another process has no room for its part of shared memory");
    }
    check(barrier_->start(Reduction::kMin, segment_));
    check(barrier_->wait());
    if (!all_agree(barrier_->result() == segment_)) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "the processes have made different numbers of registrations; initialise shared memory before the first "
             "one");
    }
}

bool Session::contains(const void* pointer, size_t bytes) const {
    const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(pointer) - memory());
    return offset < view_->bytes() && bytes <= view_->bytes() - offset;
}

uint64_t Session::allocate(uint64_t bytes, int homes, Shortage* shortage) {
    shared_->lock(shared_->allocator_lock());
    uint32_t fresh = 0;
    const uint64_t offset = allocator_->allocate(bytes, &fresh);
    if (offset == Allocator::none) {
        *shortage = {allocator_->largest_free(), allocator_->lacks_blocks()};
    } else {
        assign_homes(offset, bytes, fresh, homes);
    }
    shared_->unlock(shared_->allocator_lock());
    return offset;
}

// Assigns homes only to pages that no allocation had before.
void Session::assign_homes(uint64_t offset, uint64_t bytes, uint32_t fresh, int homes) {
    if (homes == SYNCLINE_DSM_FIRST_TOUCH || bytes < page_bytes) {
        return;
    }
    const auto first = static_cast<uint32_t>(offset / page_bytes);
    const auto count = static_cast<uint32_t>(round_up(bytes, page_bytes) / page_bytes);
    const uint32_t from = std::max(first, fresh);
    const uint32_t processes = process_->size();
    const uint32_t me = process_->rank();
    if (from >= first + count) {
        return;
    }
    shared_->assign_homes(from, first + count - from, [&](uint32_t page) {
        const uint64_t index = page - first;
        return homes == SYNCLINE_DSM_BLOCK    ? static_cast<uint32_t>(index * processes / count)
               : homes == SYNCLINE_DSM_CYCLIC ? static_cast<uint32_t>(index % processes)
                                              : me;
    });
}

bool Session::free(uint64_t offset) {
    shared_->lock(shared_->allocator_lock());
    const bool known = allocator_->free(offset);
    shared_->unlock(shared_->allocator_lock());
    return known;
}

int Session::broadcast(uint32_t root, void* value, size_t bytes) {
    const Remote& remote = shared_->remote();
    const Layout& layout = shared_->layout();
    std::vector<uint8_t> part(Layout::scratch_bytes);
    for (size_t done = 0; done < bytes; done += part.size()) {
        const size_t length = std::min<size_t>(bytes - done, part.size());
        uint8_t* const place = static_cast<uint8_t*>(value) + done;
        if (root == remote.me()) {
            std::memcpy(part.data(), place, length);
            std::memcpy(remote.own(layout.scratch), part.data(), length);
        }
        shared_->barrier();
        if (root != remote.me()) {
            remote.get(root, layout.scratch, part.data(), length);
            std::memcpy(place, part.data(), length);
        }
        shared_->barrier();
    }
    return SYNCLINE_OK;
}

std::vector<Report> Session::reports(bool all) {
    const Remote& remote = shared_->remote();
    const Layout& layout = shared_->layout();
    Report own(shared_->statistics());
    own.store(remote.own(layout.scratch));
    shared_->barrier();
    std::vector<Report> reports;
    for (uint32_t process = 0; process < remote.processes(); process++) {
        if (all ? remote.me() == 0 : process == remote.me()) {
            std::vector<uint8_t> bytes(Report::bytes);
            remote.get(process, layout.scratch, bytes.data(), bytes.size());
            reports.emplace_back(bytes.data());
        }
    }
    shared_->barrier();
    return reports;
}

}  // namespace syncline::dsm
