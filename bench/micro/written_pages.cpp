// SPDX-License-Identifier: BSD-3-Clause
#include "bench/micro/written_pages.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/failure.h"
#include "base/unique_fd.h"
#include "dsm/live/faults.h"
#include "dsm/live/mapped_view.h"

namespace syncline::page_rights {
namespace {

using dsm::Faults;
using dsm::MappedView;
using dsm::Right;

// An address where nothing is mapped.
uint8_t* const place = reinterpret_cast<uint8_t*>(uint64_t{0x3000} << 32);

class Signals final : public WrittenPages {
  public:
    Signals(uint32_t pages, MappedView::Means means)
        : pages_(pages),
          view_(MappedView::create(place, pages, means)),
          faults_(place, pages * page_bytes, [this](uint64_t offset, bool) { write(offset); }) {
        if (view_ == nullptr) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "{} pages cannot be mapped with rights", pages);
        }
        std::memset(view_->page(0), 1, pages * page_bytes);
        view_->change(0, pages, Right::kNone, Right::kWrite);
    }
    const char* name() const override {
        return view_->means() == MappedView::Means::kUserfault ? "userfaultfd, SIGBUS" : "mprotect, SIGSEGV";
    }
    uint8_t* memory() override { return place; }
    void protect() override { view_->change(0, pages_, Right::kWrite, Right::kRead); }
    std::vector<uint32_t> take() override {
        std::sort(written_.begin(), written_.end());
        for (size_t i = 0; i < written_.size();) {
            const size_t first = i;
            while (i < written_.size() && written_[i] == written_[first] + (i - first)) {
                i++;
            }
            view_->change(written_[first], static_cast<uint32_t>(i - first), Right::kWrite, Right::kRead);
        }
        return std::move(written_);
    }

  private:
    void write(uint64_t offset) {
        const auto page = static_cast<uint32_t>(offset / page_bytes);
        view_->change(page, 1, Right::kRead, Right::kWrite);
        written_.push_back(page);
    }

    const uint32_t pages_;
    const std::unique_ptr<MappedView> view_;
    const Faults faults_;
    std::vector<uint32_t> written_;
};

// The headers of Debian 12 lack these; newer linux/userfaultfd.h and linux/fs.h have them.
constexpr uint64_t protect_unpopulated = 1 << 13;   // UFFD_FEATURE_WP_UNPOPULATED
constexpr uint64_t protect_asynchronous = 1 << 15;  // UFFD_FEATURE_WP_ASYNC
constexpr uint64_t is_written = 1 << 1;             // PAGE_IS_WRITTEN
constexpr uint64_t protect_matching = 1;            // PM_SCAN_WP_MATCHING
constexpr uint64_t check_asynchronous = 2;          // PM_SCAN_CHECK_WPASYNC
struct ScannedRegion {
    uint64_t start, end, categories;
};
struct ScanCall {
    uint64_t size, flags, start, end, walk_end, regions, regions_max, pages_max;
    uint64_t inverted, all_of, any_of, returned;
};
constexpr unsigned long scan_call = _IOWR('f', 16, ScanCall);

class Scan final : public WrittenPages {
  public:
    explicit Scan(uint32_t pages) : bytes_(pages * page_bytes), regions_(pages) {}
    ~Scan() override { ::munmap(memory_, bytes_); }

    // Returns false if this kernel cannot do it.
    bool open() {
        const UniqueFd file(::memfd_create("syncline-written-pages", MFD_CLOEXEC));
        if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(bytes_)) != 0) {
            return false;
        }
        memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        pagemap_ = UniqueFd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
        userfault_ = UniqueFd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC)));
        uffdio_api api = {};
        api.api = UFFD_API;
        api.features = protect_unpopulated | protect_asynchronous | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
        uffdio_register all = {};
        all.range = range();
        all.mode = UFFDIO_REGISTER_MODE_WP;
        if (memory_ == MAP_FAILED || !pagemap_.valid() || !userfault_.valid() ||
            ::ioctl(userfault_.get(), UFFDIO_API, &api) != 0 || ::ioctl(userfault_.get(), UFFDIO_REGISTER, &all) != 0) {
            return false;
        }
        std::memset(memory_, 1, bytes_);
        std::vector<ScannedRegion> one(1);
        return scan(&one) >= 0;
    }

    const char* name() const override { return "userfaultfd, PAGEMAP_SCAN"; }
    uint8_t* memory() override { return static_cast<uint8_t*>(memory_); }
    void protect() override {
        uffdio_writeprotect protect = {range(), UFFDIO_WRITEPROTECT_MODE_WP};
        if (::ioctl(userfault_.get(), UFFDIO_WRITEPROTECT, &protect) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "userfaultfd cannot protect pages");
        }
    }
    std::vector<uint32_t> take() override {
        const int found = scan(&regions_);
        if (found < 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "PAGEMAP_SCAN fails");
        }
        std::vector<uint32_t> pages;
        for (int i = 0; i < found; i++) {
            const ScannedRegion& region = regions_[static_cast<size_t>(i)];
            for (uint64_t at = region.start; at < region.end; at += page_bytes) {
                pages.push_back(static_cast<uint32_t>((at - start()) / page_bytes));
            }
        }
        return pages;
    }

  private:
    uint64_t start() const { return reinterpret_cast<uint64_t>(memory_); }
    uffdio_range range() const { return {start(), bytes_}; }
    int scan(std::vector<ScannedRegion>* regions) {
        ScanCall call = {};
        call.size = sizeof(call);
        call.flags = protect_matching | check_asynchronous;
        call.start = start();
        call.end = start() + bytes_;
        call.regions = reinterpret_cast<uint64_t>(regions->data());
        call.regions_max = regions->size();
        call.all_of = is_written;
        call.returned = is_written;
        return ::ioctl(pagemap_.get(), scan_call, &call);
    }

    const uint64_t bytes_;
    void* memory_ = MAP_FAILED;
    UniqueFd pagemap_, userfault_;
    std::vector<ScannedRegion> regions_;
};

}  // namespace

std::unique_ptr<WrittenPages> written_by_signals(uint32_t pages, bool userfault) {
    return std::make_unique<Signals>(pages, userfault ? MappedView::Means::kUserfault : MappedView::Means::kProtection);
}

std::unique_ptr<WrittenPages> written_by_scan(uint32_t pages) {
    auto scan = std::make_unique<Scan>(pages);
    return scan->open() ? std::move(scan) : nullptr;
}

}  // namespace syncline::page_rights
