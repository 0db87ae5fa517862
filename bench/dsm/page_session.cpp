// SPDX-License-Identifier: BSD-3-Clause
#include "bench/dsm/page_session.h"

#include <algorithm>
#include <numeric>

#include "base/failure.h"

namespace syncline::bench {
namespace {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t spare_pages = 256;  // pages for locks, barriers and data of the library

std::vector<uint32_t> all_samples(const std::vector<Result>& results) {
    std::vector<uint32_t> samples;
    for (const Result& result : results) {
        samples.insert(samples.end(), result.samples.begin(), result.samples.end());
    }
    return samples;
}

// As of_phase(), for PEs that measure one after the other: the median over the PEs.
Statement of_each(const std::vector<Result>& results, uint64_t operations) {
    std::vector<double> each;
    for (const Result& result : results) {
        each.push_back(static_cast<double>(result.head.elapsed_ns) / static_cast<double>(operations));
    }
    return {quantile(each, 0.5), statement_of(all_samples(results)).p99,
            std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size())};
}

}  // namespace

Statement of_phase(const std::vector<Result>& results, uint64_t operations) {
    uint64_t longest = 0, sum = 0;
    for (const Result& result : results) {
        longest = std::max(longest, result.head.elapsed_ns);
        sum += result.head.elapsed_ns;
    }
    const auto count = static_cast<double>(operations);
    return {static_cast<double>(longest) / count, statement_of(all_samples(results)).p99,
            static_cast<double>(sum) / static_cast<double>(results.size()) / count};
}

std::vector<uint32_t> GatedJob::all() const {
    std::vector<uint32_t> ranks(job->ranks());
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<uint32_t> GatedJob::all_but_home() const {
    std::vector<uint32_t> ranks(job->ranks() - 1);
    std::iota(ranks.begin(), ranks.end(), 1);
    return ranks;
}

std::vector<Result> GatedJob::run_together(const std::vector<uint32_t>& ranks, Command command, const Each& each) {
    passed += ranks.size();
    command.gate = passed;
    for (const uint32_t rank : ranks) {
        if (each) {
            each(rank, &command);
        }
        job->post(rank, command);
    }
    std::vector<Result> results;
    for (const uint32_t rank : ranks) {
        results.push_back(job->collect(rank));
    }
    return results;
}

std::vector<Result> GatedJob::run_all(const Command& command) {
    for (const uint32_t rank : all()) {
        job->post(rank, command);
    }
    std::vector<Result> results;
    for (const uint32_t rank : all()) {
        results.push_back(job->collect(rank));
    }
    return results;
}

uint64_t GatedJob::cpu_time_ns() const {
    uint64_t sum = 0;
    for (const uint32_t rank : all()) {
        sum += job->call(rank, {.verb = Verb::kCpuTime}).head.value;
    }
    return sum;
}

PageSession::PageSession(GatedJob* job, int protocol, uint64_t pages) : job_(job), pages_(pages) {
    constexpr uint64_t for_allocations = allocations * 2048 / page_bytes;
    const uint64_t room =
        pages * std::size(page_subjects) / 2 + spare_pages + for_allocations;  // two subjects share pages
    job_->run_all({.verb = Verb::kSharedOpen, .bytes = room * page_bytes, .shared_protocol = protocol});
}

PageSession::~PageSession() {
    try {
        job_->run_all({.verb = Verb::kSharedClose});
    } catch (const std::exception&) {
        // An earlier failure was reported, or the next command finds that the job is gone.
    }
}

void PageSession::write_pages() {
    written_ += 1'000'000;
    job_->job->call(0, {.verb = Verb::kSharedWrite, .count = pages_, .seed = written_});
    job_->run_all({.verb = Verb::kSharedAcquire});
}

std::pair<PageSession::Pages, PageSession::Pages> PageSession::read(const PageSubject& subject) {
    job_->run_all({.verb = Verb::kSharedPages, .count = pages_});
    write_pages();
    const Pages first = read_once(subject);
    write_pages();
    return {first, read_once(subject)};
}

PageSession::Pages PageSession::read_once(const PageSubject& subject) {
    const Command command = {
        .verb = Verb::kSharedRead, .count = pages_, .seed = written_, .scattered = subject.scattered ? 1u : 0u};
    const std::vector<uint32_t> readers = job_->all_but_home();
    const uint64_t before = job_->cpu_time_ns();
    std::vector<Result> results;
    if (subject.contended) {
        results = job_->run_together(readers, command);
    } else {
        for (const uint32_t reader : readers) {
            results.push_back(job_->run_together({reader}, command).front());
        }
    }
    const auto cpu = static_cast<double>(job_->cpu_time_ns() - before) / static_cast<double>(pages_ * readers.size());
    return {subject.contended ? of_phase(results, pages_) : of_each(results, pages_), {cpu, 0, cpu}};
}

Statement PageSession::lock(const std::vector<uint32_t>& ranks, uint64_t count) {
    if (counter_ == 0) {
        job_->run_all({.verb = Verb::kSharedPages, .count = 1});
    }
    const std::vector<Result> results = job_->run_together(ranks, {.verb = Verb::kSharedLock, .count = count});
    counter_ += count * ranks.size();
    uint64_t greatest = 0;
    for (const Result& result : results) {
        greatest = std::max(greatest, result.head.value);
    }
    if (greatest != counter_) {
        fail(SYNCLINE_ERR_PROTOCOL, "the counter under the lock is {} instead of {}", greatest, counter_);
    }
    return of_phase(results, count * ranks.size());
}

Statement PageSession::allocate(uint64_t before, uint64_t count) {
    const Result result = job_->job->call(1, {.verb = Verb::kSharedAllocate, .count = count, .pieces = before});
    return of_phase({result}, count);
}

Statement PageSession::barrier(bool writes, uint64_t count) {
    job_->run_all({.verb = Verb::kSharedPages, .count = job_->job->ranks()});
    Command command = {.verb = Verb::kSharedBarrier, .count = 10 + count / 10, .pieces = writes ? 1u : 0u};
    job_->run_all(command);  // the first iterations learn where all PEs are
    command.count = count;
    return of_phase(job_->run_all(command), count);
}

}  // namespace syncline::bench
