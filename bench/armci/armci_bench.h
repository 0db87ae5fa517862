// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench armci` runs one standard ARMCI program (armci_program.c) alternately over Syncline and over another
// library, and programs of Global Arrays over both. Between nodes it also runs the original algorithm of GA_Sync, over
// Syncline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/armci/armci_measured.h"
#include "bench/measure/bed.h"
#include "bench/measure/global_arrays.h"
#include "bench/measure/run_program.h"
#include "bench/measure/shmem_library.h"
#include "bench/report/progress.h"
#include "bench/report/result_files.h"
#include "bench/report/result_json.h"

namespace syncline::bench {

struct ArmciArguments {
    ShmemLayout layout;
    bool quick = false;
    uint64_t samples = 0;
    uint64_t repeats = 0;
    uint64_t time_limit_s = 300;
    std::string peer;
    OpenMpiOptions peer_options;
    std::string global_arrays, peer_global_arrays;  // build trees of Global Arrays; "": there is none
    ResultFiles files;
};

class ArmciBench {
  public:
    // Compiles the programs. Throws Failure, as all functions here do.
    explicit ArmciBench(const ArmciArguments& arguments);

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    // One library, and the programs that run over it.
    struct Contender {
        std::unique_ptr<ShmemLibrary> library;
        std::string program;
        std::unique_ptr<ShmemLibrary> own_launcher = {};  // launcher of Global Arrays; NULL: the library's launcher
        std::unique_ptr<GlobalArrays> global_arrays = {};

        const ShmemLibrary& launcher() const { return own_launcher ? *own_launcher : *library; }
    };

    void check() const;
    void add_contender(std::unique_ptr<ShmemLibrary> library, const std::string& tree);
    void run_program(const Contender& contender);
    void run_global_arrays(const Contender& contender);
    void run_original();
    std::vector<std::string> libraries() const;
    std::vector<ArmciRatio> ratios() const;
    std::vector<std::string> remarks() const;

    const ArmciArguments arguments_;
    const Folder folder_;
    std::vector<Contender> contenders_;
    std::unique_ptr<Bed> original_;  // NULL: one node
    ArmciMeasured measured_;
};

}  // namespace syncline::bench
