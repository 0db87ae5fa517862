// SPDX-License-Identifier: BSD-3-Clause
#include "bench/armci/armci_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/failure.h"
#include "bench/measure/armci_library.h"
#include "bench/measure/embedded_files.h"

namespace syncline::bench {

ArmciBench::ArmciBench(const ArmciArguments& arguments) : arguments_(arguments) {
    check();
    const ShmemLayout& layout = arguments.layout;
    write_file(folder_.file("armci_program.c"), armci_program_source());
    write_file(folder_.file("ga_matrix_product.c"), ga_matrix_product_source());
    if (!arguments.peer.empty()) {
        // Comes first, so that the error message about a missing peer comes at once.
        add_contender(make_armci_mpi(layout, arguments.peer_options, folder_.name()), arguments.peer_global_arrays);
    }
    add_contender(make_own_armci(layout), arguments.global_arrays);
    std::reverse(contenders_.begin(), contenders_.end());
    if (!arguments.global_arrays.empty()) {
        contenders_.front().own_launcher = make_own_beside_mpi(layout, arguments.peer_options, folder_.folder("own"));
    }
    if (layout.nodes > 1) {
        original_ = std::make_unique<Bed>(
            BedOptions{.transport = layout.transport == "xdp" ? TransportKind::kXdp : TransportKind::kUdp,
                       .nodes = layout.nodes,
                       .pes_of_node = layout.pes / layout.nodes,
                       .authenticate = layout.authenticate});
    }
}

void ArmciBench::check() const {
    const ShmemLayout& layout = arguments_.layout;
    if (layout.pes < 2 || layout.pes % layout.nodes != 0) {
        fail(SYNCLINE_ERR_INVALID, "{} processes cannot be spread evenly over {} nodes, or are fewer than 2",
             layout.pes, layout.nodes);
    }
    const bool has_peer = !arguments_.peer.empty(), has_tree = !arguments_.global_arrays.empty();
    if (arguments_.peer_global_arrays.empty() == (has_peer && has_tree)) {
        fail(SYNCLINE_ERR_INVALID, "--peer-ga {} --ga and --peer",
             has_peer && has_tree ? "is missing: a comparison needs it beside" : "needs");
    }
}

void ArmciBench::add_contender(std::unique_ptr<ShmemLibrary> library, const std::string& tree) {
    Contender contender{std::move(library), {}};
    contender.program = compile(*contender.library, folder_, folder_.file("armci_program.c"));
    if (!tree.empty()) {
        contender.global_arrays =
            std::make_unique<GlobalArrays>(tree, arguments_.layout.pes, folder_.folder(contenders_.empty() ? "a" : "b"),
                                           folder_.file("ga_matrix_product.c"));
    }
    contenders_.push_back(std::move(contender));
}

void ArmciBench::run_program(const Contender& contender) {
    const std::string& name = contender.library->name();
    const std::string output = output_of(
        contender.library->start({contender.program, std::to_string(arguments_.samples)}), arguments_.time_limit_s);
    std::map<std::string, Statement> read = read_statements(output, name);
    for (const ArmciOperation& operation : armci_operations) {
        if (!read.contains(operation.name)) {
            fail(SYNCLINE_ERR_SYSTEM, "the program with {} did not measure {}", name, operation.title);
        }
        measured_.add(operation.name, name, read[operation.name]);
    }
}

void ArmciBench::run_global_arrays(const Contender& contender) {
    const std::map<std::string, Statement> read =
        contender.global_arrays->run(contender.launcher(), arguments_.time_limit_s);
    for (const ArmciOperation& operation : global_arrays_operations) {
        measured_.add(operation.name, contender.library->name(), read.at(operation.name));
    }
}

// Puts to every other PE, then runs the fence that asks one PE after the other, then a barrier by the hosts, as `bench
// fence` does.
void ArmciBench::run_original() {
    BenchJob& job = original_->job();
    const Command command = {.verb = Verb::kFence,
                             .count = arguments_.samples / 4 + 10,
                             .pes = job.ranks(),
                             .targets = job.ranks() - 1,
                             .fence = SYNCLINE_FENCE_LINEAR,
                             .barrier = SYNCLINE_BARRIER_EXCHANGE,
                             .by_host = 1};
    for (uint32_t rank = 0; rank < job.ranks(); rank++) {
        job.post(rank, command);
    }
    std::vector<uint32_t> samples;
    for (uint32_t rank = 0; rank < job.ranks(); rank++) {
        const Result result = job.collect(rank);
        samples.insert(samples.end(), result.samples.begin(), result.samples.end());
    }
    measured_.add(sync_subject, original_series, statement_of(samples));
}

void ArmciBench::run() {
    Progress progress(arguments_.repeats * (contenders_.size() + (original_ != nullptr ? 1 : 0)));
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        for (const Contender& contender : contenders_) {
            progress.step(contender.library->name());
            run_program(contender);
            if (contender.global_arrays != nullptr) {
                run_global_arrays(contender);
            }
        }
        if (original_ != nullptr) {
            progress.step(original_series);
            run_original();
        }
    }
}

}  // namespace syncline::bench
