// SPDX-License-Identifier: BSD-3-Clause
// memory_use <bytes of shared memory> <hundredths>
//
// Method: every process writes bytes of every page, between barriers, so that each page has been a home copy, a copy
// and a twin, and has notices of all. The memory that the process has since syncline_dsm_init(), as the kernel counts
// it, must be at most so many hundredths of the shared memory: blocks of the files that it maps, each file once, the
// segment where it is a BPF map, and its anonymous memory.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "check.h"

using namespace dsm_live;

namespace {

struct Use {
    uint64_t files = 0;
    uint64_t maps = 0;  // the largest BPF map, which is shared memory's segment
    uint64_t anonymous = 0;
};

// A line of /proc/self/smaps that begins a mapping: "first-last rights offset device inode name".
struct Mapping {
    uint64_t first = 0, last = 0, offset = 0, inode = 0;
    std::string range, name;
};

bool parse(const std::string& line, Mapping* mapping) {
    std::istringstream words(line);
    std::string rights, device;
    char dash = 0;
    if (line.find('-') == std::string::npos || !(words >> std::hex >> mapping->first >> dash >> mapping->last) ||
        dash != '-') {
        return false;
    }
    words >> rights >> std::hex >> mapping->offset >> device >> std::dec >> mapping->inode >> mapping->name;
    mapping->range = line.substr(0, line.find(' '));
    return true;
}

Use use_now() {
    Use use;
    std::map<uint64_t, uint64_t> files;
    std::ifstream smaps("/proc/self/smaps");
    std::string line;
    for (Mapping mapping; std::getline(smaps, line);) {
        Mapping next;
        if (parse(line, &next)) {
            mapping = next;
            struct stat status = {};
            if (mapping.name.find("bpf-map") != std::string::npos) {
                use.maps = std::max(use.maps, mapping.offset + (mapping.last - mapping.first));
            } else if (mapping.inode != 0 && mapping.name.rfind("/memfd:", 0) == 0 &&
                       ::stat(("/proc/self/map_files/" + mapping.range).c_str(), &status) == 0) {
                files[mapping.inode] = static_cast<uint64_t>(status.st_blocks) * 512;
            }
        } else if (line.rfind("Anonymous:", 0) == 0) {
            use.anonymous += std::strtoull(line.c_str() + 10, nullptr, 10) * 1024;
        }
    }
    for (const auto& [inode, bytes] : files) {
        use.files += bytes;
    }
    return use;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 || syncline_init(nullptr) != SYNCLINE_OK) {
        return 2;
    }
    const Use before = use_now();
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = std::strtoull(argv[1], nullptr, 0);
    CHECK_OK(syncline_dsm_init(&options));
    void* base = nullptr;
    size_t bytes = 0;
    CHECK_OK(syncline_dsm_range(&base, &bytes));
    const size_t pages = bytes / 4096 - bytes / 4096 / 64;  // the allocator has some
    auto* const memory = static_cast<volatile uint8_t*>(syncline_dsm_alloc(pages * 4096, SYNCLINE_DSM_CYCLIC));
    CHECK_THAT(memory != nullptr, "{}", syncline_last_error());
    for (int round = 0; round < 3; round++) {
        for (size_t page = 0; page < pages; page++) {
            memory[page * 4096 + static_cast<size_t>(me())] = static_cast<uint8_t>(round + 1);
        }
        barrier();
    }
    for (size_t page = 0; page < pages; page++) {
        CHECK(memory[page * 4096 + static_cast<size_t>((me() + 1) % size())] == 3);
    }
    const Use now = use_now();
    const uint64_t used = now.files + now.anonymous - before.files - before.anonymous + now.maps;
    const uint64_t hundredths = used * 100 / bytes;
    CHECK_THAT(hundredths <= std::strtoull(argv[2], nullptr, 10),
               "{} hundredths of {} bytes: files {} and maps {}, anonymous {}, and before {}, {}", hundredths, bytes,
               now.files, now.maps, now.anonymous, before.files, before.anonymous);
    std::printf("process %d: %.3f times\n", me(), static_cast<double>(used) / static_cast<double>(bytes));
    CHECK_OK(syncline_dsm_finalize());
    CHECK_OK(syncline_finalize());
    return 0;
}
