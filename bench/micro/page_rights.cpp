// SPDX-License-Identifier: BSD-3-Clause
// syncline-page-rights measures the cost of the two ways to keep the rights of pages (src/dsm/live/mapped_view.h), and
// the cost to learn which pages a program has written, in microseconds of the CPU for a page: medians of rounds.
//
//      syncline-page-rights [<pages> [<rounds>]]
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>

#include "base/clock.h"
#include "base/failure.h"
#include "base/unique_fd.h"
#include "bench/micro/written_pages.h"
#include "dsm/live/faults.h"
#include "dsm/live/mapped_view.h"

namespace syncline::page_rights {
namespace {

using dsm::Faults;
using dsm::MappedView;
using dsm::Right;

// An address where nothing is mapped.
uint8_t* const trial_place = reinterpret_cast<uint8_t*>(uint64_t{0x3000} << 32);

struct Extent {
    uint32_t pages;
    int rounds;
};

// Orders of pages, each with every page once: one in sequence, one in which no two neighbours follow each other.
std::vector<uint32_t> in_order(uint32_t pages) {
    std::vector<uint32_t> order(pages);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<uint32_t> scattered(uint32_t pages) {
    std::vector<uint32_t> order(pages);
    for (uint32_t i = 0; i < pages; i++) {
        order[i] = static_cast<uint32_t>(uint64_t{i} * 1'640'531 % pages);  // a prime
    }
    return order;
}

// Returns this thread's CPU time: everything that is measured happens in this thread, or in the kernel on its behalf.
uint64_t thread_cpu_ns() {
    timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<uint64_t>(time.tv_sec) * ns_per_s + static_cast<uint64_t>(time.tv_nsec);
}

double median_us_per_page(const Extent& extent, uint64_t pages, const std::function<void()>& prepare,
                          const std::function<void()>& measured) {
    std::vector<double> rounds;
    for (int round = 0; round < extent.rounds; round++) {
        prepare();
        const uint64_t start = thread_cpu_ns();
        measured();
        rounds.push_back(static_cast<double>(thread_cpu_ns() - start) / 1e3 / static_cast<double>(pages));
    }
    std::nth_element(rounds.begin(), rounds.begin() + extent.rounds / 2, rounds.end());
    return rounds[static_cast<size_t>(extent.rounds) / 2];
}

struct Change {
    const char* name;
    Right from, to;
};
constexpr Change changes[] = {{"nothing to read", Right::kNone, Right::kRead},
                              {"nothing to write", Right::kNone, Right::kWrite},
                              {"read to write", Right::kRead, Right::kWrite},
                              {"write to read", Right::kWrite, Right::kRead},
                              {"read to nothing", Right::kRead, Right::kNone}};

// A range whose pages all have one right whenever a measurement begins.
class Rights {
  public:
    Rights(const Extent& extent, MappedView::Means means) : extent_(extent) {
        view_ = MappedView::create(trial_place, extent.pages, means);
        if (view_ == nullptr) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "{} pages cannot be mapped with rights", extent.pages);
        }
        std::memset(view_->page(0), 1, extent.pages * page_bytes);
    }

    double in_one(const Change& change) {
        return measure(change, [&] { view_->change(0, extent_.pages, change.from, change.to); });
    }
    double alone(const Change& change, const std::vector<uint32_t>& order) {
        return measure(change, [&] {
            for (const uint32_t page : order) {
                view_->change(page, 1, change.from, change.to);
            }
        });
    }
    // Measures accesses without the right, each with its signal and the change of the right.
    double faults(const Change& change, const std::vector<uint32_t>& order) {
        const Faults handler(view_->memory(), view_->bytes(), [&](uint64_t offset, bool) {
            view_->change(static_cast<uint32_t>(offset / page_bytes), 1, change.from, change.to);
        });
        return measure(change, [&] {
            for (const uint32_t page : order) {
                volatile uint8_t* const byte = view_->memory() + page * page_bytes;
                if (change.to == Right::kWrite) {
                    *byte = 2;
                } else {
                    (void)*byte;
                }
            }
        });
    }

  private:
    double measure(const Change& change, const std::function<void()>& measured) {
        return median_us_per_page(
            extent_, extent_.pages,
            [&] {
                take_all(change.from);
                right_ = change.to;
            },
            measured);
    }
    void take_all(Right to) {
        if (right_ != to) {
            view_->change(0, extent_.pages, right_, to);
        }
    }

    const Extent extent_;
    std::unique_ptr<MappedView> view_;
    Right right_ = Right::kNone;
};

void compare_rights(const Extent& extent) {
    struct Way {
        const char* name;
        MappedView::Means means;
    };
    const Way ways[] = {{"userfaultfd", MappedView::Means::kUserfault}, {"mprotect", MappedView::Means::kProtection}};
    const std::vector<uint32_t> order = in_order(extent.pages), random = scattered(extent.pages);
    fmt::print("{:<13}{:<18}{:>12}{:>12}{:>12}{:>14}{:>14}\n", "", "", "in one call", "in order", "scattered",
               "fault, order", "fault, scatt.");
    for (const Way& way : ways) {
        if (way.means == MappedView::Means::kUserfault && !MappedView::has_userfault()) {
            fmt::print("{:<13}this kernel has not got it, or does not allow it\n", way.name);
            continue;
        }
        for (const Change& change : changes) {
            Rights rights(extent, way.means);
            fmt::print("{:<13}{:<18}{:>12.3f}{:>12.3f}{:>12.3f}", way.name, change.name, rights.in_one(change),
                       rights.alone(change, order), rights.alone(change, random));
            if (change.from < change.to) {
                fmt::print("{:>14.3f}{:>14.3f}", rights.faults(change, order), rights.faults(change, random));
            }
            fmt::print("\n");
        }
    }
}

// The kinds of memory that a segment can have: a file's, and over xdp a BPF map's, whose mapping never merges again.
using MakeSegment = UniqueFd (*)(uint32_t pages);  // returns an invalid descriptor if the kernel does not allow it

UniqueFd make_file(uint32_t pages) {
    UniqueFd file(::memfd_create("syncline-segment", MFD_CLOEXEC));
    return file.valid() && ::ftruncate(file.get(), static_cast<off_t>(pages * page_bytes)) == 0 ? std::move(file)
                                                                                                : UniqueFd();
}

UniqueFd make_map(uint32_t pages) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
    return UniqueFd(
        bpf_map_create(BPF_MAP_TYPE_ARRAY, "segment", sizeof(uint32_t), uint32_t{page_bytes}, pages, &options));
}

// Pages that have their homes here are pieces of the segment; in both ways mprotect() keeps their rights.
class Homes {
  public:
    Homes(const Extent& extent, MakeSegment make_segment) : extent_(extent), make_segment_(make_segment) {}

    double adopt(const std::vector<uint32_t>& order, uint32_t count) {
        return median_us_per_page(
            extent_, extent_.pages, [&] { make(); },
            [&] { each(order, count, [&](uint32_t page) { view_->adopt(page, count, Right::kWrite); }); });
    }
    double change(const std::vector<uint32_t>& order, uint32_t count, Right to) {
        return median_us_per_page(
            extent_, extent_.pages, [&] { make_with(opposite(to)); },
            [&] { each(order, count, [&](uint32_t page) { change_some(page, count, to); }); });
    }
    double faults(const std::vector<uint32_t>& order) {
        return median_us_per_page(
            extent_, extent_.pages, [&] { make_with(Right::kRead); },
            [&] {
                const Faults handler(view_->memory(), view_->bytes(), [&](uint64_t offset, bool) {
                    change_some(static_cast<uint32_t>(offset / page_bytes), 1, Right::kWrite);
                });
                each(order, 1, [&](uint32_t page) { view_->memory()[page * page_bytes] = 2; });
            });
    }

  private:
    static Right opposite(Right right) { return right == Right::kRead ? Right::kWrite : Right::kRead; }
    // Changes runs of `count` pages; a run begins at each page of the order that `count` divides.
    template <typename Do>
    static void each(const std::vector<uint32_t>& order, uint32_t count, Do&& act) {
        for (const uint32_t page : order) {
            if (page % count == 0) {
                act(page);
            }
        }
    }
    void make() {
        UniqueFd segment = make_segment_(extent_.pages);
        view_.reset();
        view_ = MappedView::create(trial_place, extent_.pages, MappedView::Means::kProtection);
        if (!segment.valid() || view_ == nullptr) {
            fail(SYNCLINE_ERR_NO_MEMORY, "{} pages cannot be mapped", extent_.pages);
        }
        view_->set_segment(std::move(segment), 0);
    }
    // All pages have been written, so the kernel has made them.
    void make_with(Right right) {
        make();
        view_->adopt(0, extent_.pages, Right::kWrite);
        std::memset(view_->memory(), 1, extent_.pages * page_bytes);
        change_some(0, extent_.pages, right);
    }
    void change_some(uint32_t page, uint32_t count, Right to) {
        if (!view_->change_adopted(page, count, to)) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "rights of home pages cannot be changed");
        }
    }

    const Extent extent_;
    const MakeSegment make_segment_;
    std::unique_ptr<MappedView> view_;
};

void compare_homes(const Extent& extent, const char* name, MakeSegment make_segment) {
    if (!make_segment(extent.pages).valid()) {
        fmt::print("{:<13}this kernel does not allow it\n", name);
        return;
    }
    Homes homes(extent, make_segment);
    const std::vector<uint32_t> order = in_order(extent.pages), random = scattered(extent.pages);
    fmt::print("{:<13}{:<18}{:>12.3f}{:>12.3f}{:>12.3f}\n", name, "nothing to write", homes.adopt(order, extent.pages),
               homes.adopt(order, 1), homes.adopt(random, 1));
    for (const Right to : {Right::kWrite, Right::kRead}) {
        fmt::print("{:<13}{:<18}{:>12.3f}{:>12.3f}{:>12.3f}", name,
                   to == Right::kWrite ? "read to write" : "write to read", homes.change(order, extent.pages, to),
                   homes.change(order, 1, to), homes.change(random, 1, to));
        if (to == Right::kWrite) {
            fmt::print("{:>14.3f}{:>14.3f}", homes.faults(order), homes.faults(random));
        }
        fmt::print("\n");
    }
}

// Which pages a program writes between two looks.
struct Pattern {
    const char* name;
    std::vector<uint32_t> pages;
};

std::vector<Pattern> patterns(uint32_t pages) {
    std::vector<Pattern> all = {{"all", in_order(pages)}, {"every second", {}}, {"one in 16, scattered", {}}};
    for (uint32_t page = 0; page < pages; page += 2) {
        all[1].pages.push_back(page);
    }
    const std::vector<uint32_t> random = scattered(pages);
    all[2].pages.assign(random.begin(), random.begin() + pages / 16);
    return all;
}

void check(std::vector<uint32_t> found, std::vector<uint32_t> written) {
    std::sort(found.begin(), found.end());
    std::sort(written.begin(), written.end());
    if (found != written) {
        fail(SYNCLINE_ERR_PROTOCOL, "{} pages were written and {} found", written.size(), found.size());
    }
}

void compare_ways(const Extent& extent, WrittenPages* way) {
    way->protect();
    for (const Pattern& pattern : patterns(extent.pages)) {
        std::vector<uint32_t> found;
        const auto write = [&] {
            for (const uint32_t page : pattern.pages) {
                way->memory()[page * page_bytes]++;
            }
        };
        const auto look = [&] {
            found = way->take();
            check(found, pattern.pages);
        };
        const double written = median_us_per_page(extent, pattern.pages.size(), [&] { way->take(); }, write);
        way->take();
        const double looked = median_us_per_page(extent, extent.pages, write, [&] { found = way->take(); });
        write();
        look();
        fmt::print("{:<28}{:<24}{:>12.3f}{:>20.3f}\n", way->name(), pattern.name, written, looked);
    }
}

void compare_written(const Extent& extent) {
    fmt::print("\n{:<28}{:<24}{:>12}{:>20}\n", "", "pages written", "a write", "a page looked at");
    for (const bool userfault : {true, false}) {
        if (!userfault || MappedView::has_userfault()) {
            compare_ways(extent, written_by_signals(extent.pages, userfault).get());
        }
    }
    if (const std::unique_ptr<WrittenPages> scan = written_by_scan(extent.pages); scan != nullptr) {
        compare_ways(extent, scan.get());
    } else {
        fmt::print("userfaultfd, PAGEMAP_SCAN: this kernel has not got them (Linux 6.7), or does not allow them\n");
    }
}

}  // namespace
}  // namespace syncline::page_rights

int main(int argc, char** argv) {
    const auto number = [&](int index, long otherwise) {
        return argc > index ? std::strtol(argv[index], nullptr, 10) : otherwise;
    };
    const long pages = number(1, 4096), rounds = number(2, 9);
    if (argc > 3 || pages < 16 || pages > 32'768 || rounds < 1 || rounds > 10'000) {
        fmt::print(stderr, "usage: {} [<pages, 16 to 32768> [<rounds>]]\n", argv[0]);
        return 2;
    }
    try {
        const syncline::page_rights::Extent extent = {static_cast<uint32_t>(pages), static_cast<int>(rounds)};
        fmt::print("{} pages, medians of {} rounds, us of the CPU for a page\n", pages, rounds);
        compare_rights(extent);
        compare_homes(extent, "homes, file", syncline::page_rights::make_file);
        compare_homes(extent, "homes, BPF", syncline::page_rights::make_map);
        compare_written(extent);
    } catch (const syncline::Failure& failure) {
        fmt::print(stderr, "{}: {}\n", argv[0], failure.what());
        return 1;
    }
}
