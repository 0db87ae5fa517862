// SPDX-License-Identifier: BSD-3-Clause
// The test beds of `syncline bench bulk` for one MTU, all up at the same time, and the measurements that take turns on
// them.
//
// PE 0, or rank 0, measures on the first CPU; the target, if it works, is on the second.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/bulk/bare.h"
#include "bench/bulk/measured.h"
#include "bench/measure/bed.h"
#include "bench/measure/run_program.h"
#include "bench/measure/shmem_library.h"
#include "bench/measure/two_cpus.h"
#include "bench/report/progress.h"

namespace syncline::bench {

constexpr uint64_t accumulated_doubles = 4096;
constexpr uint64_t peer_compute_ms = 20;  // time after which MPI's computing target enters MPI

struct BulkSettings {
    bool quick = false;
    uint64_t samples = 0;  // number of samples of a short operation in a batch
    uint64_t repeats = 0;
    uint64_t time_limit_s = 120;  // limit of one run of the peer
    std::string peer;             // "": there is no peer
    OpenMpiOptions peer_options;

    uint64_t few() const { return samples / 20 + 10; }  // number of samples of a long operation
    uint64_t peer_computes() const { return quick ? 2 : 5; }
    uint64_t xors() const { return quick ? 50'000 : 500'000; }
};

class BulkWorld {
  public:
    // `program`: the source of the peer's program. Throws Failure, as all functions here do.
    BulkWorld(const BulkSettings& settings, int mtu, const std::string& program);

    uint64_t steps() const { return steps_.size(); }
    // Runs each measurement once.
    void round(Progress* progress);
    // Checks the tables of the xors.
    void finish();
    const Measured& measured() const { return measured_; }

  private:
    struct Step {
        std::string title;
        std::function<void()> measure;
    };
    struct Series {
        const char* condition;
        Bed bed;
        uint64_t fold = 0;  // the xor of all operands so far
    };

    void add(const std::string& subject, const char* condition, const std::function<Statement()>& measure);
    void add_fetch_add();
    void add_moves();
    void add_accumulates();
    void add_pieces();
    void add_xors();
    void add_peer(const std::string& program);
    std::vector<uint32_t> call(Series* series, Command command);
    Statement accumulate_to_computing(Series* series);
    Statement count_work(bool accumulates_arrive);
    void run_peer();

    const BulkSettings settings_;
    const int mtu_;
    const TwoCpus cpus_ = TwoCpus::choose();
    const Folder folder_;
    BareRoundTrip bare_;
    Series plain_, tagged_;
    std::unique_ptr<ShmemLibrary> peer_;
    std::string peer_program_;
    std::vector<Step> steps_;
    Measured measured_;
    uint64_t seed_ = 0;
};

}  // namespace syncline::bench
