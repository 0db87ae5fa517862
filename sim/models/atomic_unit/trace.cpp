// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/trace.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "base/failure.h"
#include "sim/presets/presets.h"

namespace syncline::sim::atomic_unit {

namespace {

constexpr uint64_t trace_words_most = 1 << 24;

bool parse(const std::string& line, TraceLine* parsed) {
    std::istringstream input(line);
    std::string operation, rest;
    Request& request = parsed->request;
    if (!(input >> parsed->ns >> parsed->initiator >> parsed->target >> operation >> request.word >> request.operand)) {
        return false;
    }
    if (operation == "compare-swap") {
        operation = "cas";  // its name in traces of earlier versions
    }
    const auto* const name = std::find(std::begin(operation_names), std::end(operation_names), operation);
    if (name == std::end(operation_names) || !(parsed->ns >= 0 && parsed->ns < 1e15)) {
        return false;
    }
    request.operation = static_cast<Operation>(name - std::begin(operation_names));
    if (request.operation == Operation::CAS && !(input >> request.comparand)) {
        return false;
    }
    request.initiator = parsed->initiator;
    request.fetch = true;
    return !(input >> rest);
}

std::unique_ptr<std::istream> open_trace(const std::string& name) {
    if (auto file = std::make_unique<std::ifstream>(name); *file) {
        return file;
    }
    const int error = errno;
    const Preset* const trace = find_trace(name);
    if (trace == nullptr) {
        errno = error;
        fail_errno(SYNCLINE_ERR_INVALID, "cannot read the trace \"{}\", which is no part of the program either", name);
    }
    return std::make_unique<std::istringstream>(std::string(trace->text));
}

}  // namespace

std::vector<TraceLine> read_trace(const std::string& name, uint64_t pes, uint64_t nodes) {
    const std::unique_ptr<std::istream> input = open_trace(name);
    std::vector<TraceLine> lines;
    std::string line;
    for (uint64_t number = 1; std::getline(*input, line); number++) {
        line.resize(std::min(line.size(), line.find('#')));
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        TraceLine parsed = {};
        if (!parse(line, &parsed)) {
            fail(SYNCLINE_ERR_INVALID,
                 "{}:{}: a line is <ns> <initiator> <target node> <operation> <word> <operand> [comparand]", name,
                 number);
        }
        if (parsed.initiator >= pes || parsed.target >= nodes || parsed.request.word >= trace_words_most) {
            fail(SYNCLINE_ERR_INVALID, "{}:{}: there are {} PEs, {} nodes and {} words", name, number, pes, nodes,
                 trace_words_most);
        }
        lines.push_back(parsed);
    }
    if (input->bad()) {
        fail_errno(SYNCLINE_ERR_INVALID, "cannot read the trace {}", name);
    }
    return lines;
}

}  // namespace syncline::sim::atomic_unit
