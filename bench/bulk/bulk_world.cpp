// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bulk/bulk_world.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/failure.h"
#include "bench/report/result_files.h"

namespace syncline::bench {

namespace {

constexpr uint64_t area_offset = large_table_bytes;  // the xors have the table before it; all else is behind it
constexpr uint64_t area_bytes = 1 << 20;
constexpr uint64_t accumulate_bytes = accumulated_doubles * sizeof(double);
constexpr uint64_t pieces_of_list = 64;
constexpr uint64_t work_window_ns = ns_per_ms;
constexpr uint64_t work_windows = 20;

struct BulkMove {
    const char* subject;
    Bulk bulk;
    uint64_t bytes;
};
constexpr BulkMove bulk_moves[] = {{"get_8", Bulk::kGet, 8},
                                   {"get_4k", Bulk::kGet, 4096},
                                   {"get_64k", Bulk::kGet, 65536},
                                   {"get_1m", Bulk::kGet, area_bytes},
                                   {"put_8", Bulk::kPut, 8},
                                   {"put_4k", Bulk::kPut, 4096},
                                   {"put_64k", Bulk::kPut, 65536},
                                   {"put_1m", Bulk::kPut, area_bytes},
                                   {"accumulate_waiting", Bulk::kAccumulate, accumulate_bytes}};

struct PieceList {
    const char* subject;
    Bulk in_one, each;
    uint64_t bytes;  // length of a piece
};
constexpr PieceList piece_lists[] = {
    {"put_64x8", Bulk::kPutPieces, Bulk::kPutEach, 8},     {"put_64x64", Bulk::kPutPieces, Bulk::kPutEach, 64},
    {"put_64x512", Bulk::kPutPieces, Bulk::kPutEach, 512}, {"get_64x8", Bulk::kGetPieces, Bulk::kGetEach, 8},
    {"get_64x64", Bulk::kGetPieces, Bulk::kGetEach, 64},   {"get_64x512", Bulk::kGetPieces, Bulk::kGetEach, 512}};

struct XorTable {
    const char* subject;
    uint64_t bytes;
};
constexpr XorTable xor_tables[] = {{"xor_128k", small_table_bytes}, {"xor_16m", large_table_bytes}};

BedOptions bed_options(int mtu, bool authenticate) {
    return {.authenticate = authenticate, .mtu = mtu, .table_bytes = large_table_bytes + area_bytes};
}

}  // namespace

BulkWorld::BulkWorld(const BulkSettings& settings, int mtu, const std::string& program)
    : settings_(settings),
      mtu_(mtu),
      bare_(mtu),
      plain_{conditions::xdp, Bed(bed_options(mtu, false))},
      tagged_{conditions::tagged, Bed(bed_options(mtu, true))} {
    add_fetch_add();
    add_moves();
    add_accumulates();
    add_pieces();
    add_xors();
    if (!settings.peer.empty()) {
        add_peer(program);
    }
}

void BulkWorld::round(Progress* progress) {
    for (const Step& step : steps_) {
        progress->step(step.title);
        step.measure();
    }
}

void BulkWorld::finish() {
    for (Series* const series : {&plain_, &tagged_}) {
        const Result result = series->bed.job().call(1, {.verb = Verb::kFold, .bytes = large_table_bytes});
        if (result.head.value != series->fold) {
            fail(SYNCLINE_ERR_PROTOCOL, "the target's table does not hold the xor of all operands");
        }
    }
}

void BulkWorld::add(const std::string& subject, const char* condition, const std::function<Statement()>& measure) {
    steps_.push_back({fmt::format("MTU {}, {}, {}", mtu_, subject, condition),
                      [this, subject, condition, measure] { measured_.add(subject, condition, measure()); }});
}

std::vector<uint32_t> BulkWorld::call(Series* series, Command command) {
    command.cpu = cpus_.initiator;
    command.target = 1;
    command.offset = area_offset;
    command.seed = ++seed_;
    return series->bed.job().call(0, command).samples;
}

void BulkWorld::add_fetch_add() {
    add("fetch_add", conditions::bare,
        [this] { return statement_of(bare_.measure(settings_.samples, cpus_.initiator)); });
    for (Series* const series : {&plain_, &tagged_}) {
        add("fetch_add", series->condition, [this, series] {
            return statement_of(call(series, {.verb = Verb::kLatency, .count = settings_.samples}));
        });
    }
}

void BulkWorld::add_moves() {
    for (const BulkMove& move : bulk_moves) {
        const uint64_t count = move.bytes <= 4096 ? settings_.samples : settings_.few();
        for (Series* const series : {&plain_, &tagged_}) {
            add(move.subject, series->condition, [this, series, &move, count] {
                return statement_of(
                    call(series, {.verb = Verb::kBulk, .bulk = move.bulk, .count = count, .bytes = move.bytes}));
            });
        }
    }
}

void BulkWorld::add_accumulates() {
    for (Series* const series : {&plain_, &tagged_}) {
        add("accumulate_computing", series->condition, [this, series] { return accumulate_to_computing(series); });
    }
    add("target_work", conditions::alone, [this] { return count_work(false); });
    add("target_work", conditions::loaded, [this] { return count_work(true); });
}

Statement BulkWorld::accumulate_to_computing(Series* series) {
    BenchJob& job = series->bed.job();
    job.post(1, {.verb = Verb::kCompute, .cpu = cpus_.target});
    const std::vector<uint32_t> samples = call(
        series, {.verb = Verb::kBulk, .bulk = Bulk::kAccumulate, .count = settings_.few(), .bytes = accumulate_bytes});
    job.stop(1);
    return statement_of(samples);
}

Statement BulkWorld::count_work(bool accumulates_arrive) {
    BenchJob& job = plain_.bed.job();
    if (accumulates_arrive) {
        job.post(0, {.verb = Verb::kBulk,
                     .cpu = cpus_.initiator,
                     .bulk = Bulk::kAccumulate,
                     .target = 1,
                     .bytes = accumulate_bytes,
                     .offset = area_offset});
    }
    const Result result =
        job.call(1, {.verb = Verb::kCount, .cpu = cpus_.target, .count = work_windows, .duration_ns = work_window_ns});
    if (accumulates_arrive) {
        job.stop(0);
    }
    return statement_of(result.samples);
}

void BulkWorld::add_pieces() {
    for (const PieceList& list : piece_lists) {
        const auto measure = [this, &list](Bulk bulk) {
            return statement_of(call(&plain_, {.verb = Verb::kBulk,
                                               .bulk = bulk,
                                               .count = settings_.few(),
                                               .bytes = list.bytes,
                                               .pieces = pieces_of_list}));
        };
        add(list.subject, conditions::pieces, [measure, &list] { return measure(list.in_one); });
        add(list.subject, conditions::each, [measure, &list] { return measure(list.each); });
    }
}

void BulkWorld::add_xors() {
    for (const XorTable& table : xor_tables) {
        for (Series* const series : {&plain_, &tagged_}) {
            add(table.subject, series->condition, [this, series, &table] {
                const Result result = series->bed.job().call(0, {.verb = Verb::kPosted,
                                                                 .cpu = cpus_.initiator,
                                                                 .target = 1,
                                                                 .count = settings_.xors(),
                                                                 .bytes = table.bytes,
                                                                 .seed = ++seed_ * 0x9E3779B97F4A7C15u});
                series->fold ^= result.head.value;
                return Statement{result.operations_per_s(), 0, result.operations_per_s()};
            });
        }
    }
}

void BulkWorld::add_peer(const std::string& program) {
    peer_ = make_open_mpi_ranks(mtu_, settings_.peer_options, folder_.name());
    const std::string source = folder_.file("mpi_program.c");
    write_file(source, program);
    peer_program_ = compile(*peer_, folder_, source);
    steps_.push_back({fmt::format("MTU {}, {}", mtu_, peer_->name()), [this] { run_peer(); }});
}

void BulkWorld::run_peer() {
    const std::string output = output_of(
        peer_->start({peer_program_, std::to_string(settings_.samples), std::to_string(settings_.few()),
                      std::to_string(peer_compute_ms * ns_per_ms), std::to_string(settings_.peer_computes())}),
        settings_.time_limit_s);
    const std::map<std::string, Statement> read = read_statements(output, peer_->name());
    for (const BulkSubject& subject : bulk_subjects) {
        if (!subject.is_of(quantities::bulk)) {
            continue;
        }
        if (!read.contains(subject.name)) {
            fail(SYNCLINE_ERR_SYSTEM, "the program with {} did not measure {}", peer_->name(), subject.title);
        }
        measured_.add(subject.name, conditions::peer, read.at(subject.name));
    }
}

}  // namespace syncline::bench
