// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/mapped_view.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/failure.h"
#include "base/memory_file.h"
#include "base/unique_fd.h"

namespace syncline::dsm {
namespace {

// The headers of Debian 12 are too old to have it.
struct Continue {
    uffdio_range range;
    uint64_t mode;
    int64_t mapped;
};
constexpr unsigned long continue_call = _IOWR(UFFDIO, 0x07, Continue);
constexpr uint64_t continue_protected = 2;  // UFFDIO_CONTINUE_MODE_WP, of Linux 6.4
constexpr uint64_t register_minor = 4;      // UFFDIO_REGISTER_MODE_MINOR
constexpr int populate_write = 23;          // MADV_POPULATE_WRITE
constexpr int user_mode_only = 1;           // UFFD_USER_MODE_ONLY
constexpr uint64_t features =
    UFFD_FEATURE_SIGBUS | UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;

int protection_of(Right right) {
    return right == Right::kNone ? PROT_NONE : right == Right::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
}

[[noreturn]] void fail_mapping() {
    fail_errno(SYNCLINE_ERR_NO_MEMORY,
               "cannot change the mapping of shared memory; raise vm.max_map_count, or place homes in longer runs");
}

class ProtectedView final : public MappedView {
  public:
    using MappedView::MappedView;
    Means means() const override { return Means::kProtection; }
    void restore(uint32_t, Right) override {}
    void change(uint32_t first, uint32_t count, Right, Right to) override {
        if (::mprotect(memory_ + uint64_t{first} * page_bytes, uint64_t{count} * page_bytes, protection_of(to)) != 0) {
            fail_mapping();
        }
    }
};

class UserfaultView final : public MappedView {
  public:
    UserfaultView(uint8_t* memory, uint8_t* own, uint64_t bytes, UniqueFd fd)
        : MappedView(memory, own, bytes), fd_(std::move(fd)) {}
    Means means() const override { return Means::kUserfault; }
    void change(uint32_t first, uint32_t count, Right from, Right to) override {
        const uffdio_range range = {reinterpret_cast<uint64_t>(memory_) + uint64_t{first} * page_bytes,
                                    uint64_t{count} * page_bytes};
        bool done = true;
        if (to == Right::kNone) {
            done = ::madvise(reinterpret_cast<void*>(range.start), range.len, MADV_DONTNEED) == 0;
        } else if (from == Right::kNone) {
            done = show(range, to == Right::kRead ? continue_protected : 0);
        } else {
            uffdio_writeprotect protect = {range, to == Right::kRead ? uint64_t{UFFDIO_WRITEPROTECT_MODE_WP} : 0};
            done = ::ioctl(fd_.get(), UFFDIO_WRITEPROTECT, &protect) == 0;
        }
        if (!done) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "userfaultfd cannot change the rights of pages of shared memory");
        }
    }

    void restore(uint32_t page, Right right) override {
        const uffdio_range range = {reinterpret_cast<uint64_t>(memory_) + uint64_t{page} * page_bytes, page_bytes};
        if (!show(range, right == Right::kRead ? continue_protected : 0) && errno != EEXIST) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "userfaultfd cannot show a page of shared memory again");
        }
    }

  private:
    // The file's pages must exist: the library has written them, or the kernel makes them.
    bool show(const uffdio_range& range, uint64_t mode) {
        Continue call = {range, mode, 0};
        while (::ioctl(fd_.get(), continue_call, &call) != 0) {
            if (errno != EFAULT && errno != EAGAIN) {
                return false;
            }
            const uint64_t done = call.mapped > 0 ? static_cast<uint64_t>(call.mapped) : 0;
            call.range.start += done;
            call.range.len -= done;
            touch(call.range);
        }
        return true;
    }
    void touch(const uffdio_range& range) {
        volatile uint8_t* const byte = own_ + (range.start - reinterpret_cast<uint64_t>(memory_));
        for (uint64_t at = 0; at < range.len; at += page_bytes) {
            byte[at] = byte[at];
        }
    }

    const UniqueFd fd_;
};

UniqueFd open_userfault(uint8_t* memory, uint64_t bytes) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | user_mode_only)));
    uffdio_api api = {};
    api.api = UFFD_API;
    api.features = features;
    uffdio_register all = {};
    all.range = {reinterpret_cast<uint64_t>(memory), bytes};
    all.mode = register_minor | UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP;
    if (!fd.valid() || ::ioctl(fd.get(), UFFDIO_API, &api) != 0 || ::ioctl(fd.get(), UFFDIO_REGISTER, &all) != 0) {
        return UniqueFd();
    }
    return fd;
}

// Returns whether the kernel shows a page of the mapping as protected.
bool shows_protected(int fd, void* memory) {
    Continue call = {{reinterpret_cast<uint64_t>(memory), page_bytes}, continue_protected, 0};
    return ::ioctl(fd, continue_call, &call) == 0;
}

void* map_file(int file, void* address, uint64_t bytes, int protection) {
    return ::mmap(address, bytes, protection, MAP_SHARED | (address != nullptr ? MAP_FIXED_NOREPLACE : 0), file, 0);
}

}  // namespace

bool MappedView::has_userfault() {
    const UniqueFd file = make_memory_file("syncline-dsm-trial", page_bytes);
    const char byte = 0;
    if (!file.valid() || ::pwrite(file.get(), &byte, 1, 0) != 1) {
        return false;
    }
    void* const memory = map_file(file.get(), nullptr, page_bytes, PROT_READ | PROT_WRITE);
    if (memory == MAP_FAILED) {
        return false;
    }
    const UniqueFd fd = open_userfault(static_cast<uint8_t*>(memory), page_bytes);
    const bool works = fd.valid() && shows_protected(fd.get(), memory);
    ::munmap(memory, page_bytes);
    return works;
}

std::unique_ptr<MappedView> MappedView::create(uint8_t* address, uint32_t pages, Means means) {
    const uint64_t bytes = uint64_t{pages} * page_bytes;
    const UniqueFd file = make_memory_file("syncline-dsm", bytes);
    if (!file.valid()) {
        return nullptr;
    }
    const int all = PROT_READ | PROT_WRITE;
    void* const memory = map_file(file.get(), address, bytes, means == Means::kProtection ? PROT_NONE : all);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    void* const own = memory == address ? map_file(file.get(), nullptr, bytes, all) : MAP_FAILED;
    UniqueFd fd = own != MAP_FAILED && means == Means::kUserfault ? open_userfault(address, bytes) : UniqueFd();
    if (own == MAP_FAILED || (means == Means::kUserfault && !fd.valid())) {
        ::munmap(memory, bytes);
        return nullptr;
    }
    if (means == Means::kProtection) {
        return std::make_unique<ProtectedView>(address, static_cast<uint8_t*>(own), bytes);
    }
    return std::make_unique<UserfaultView>(address, static_cast<uint8_t*>(own), bytes, std::move(fd));
}

// Makes the pages together; otherwise each would come by a fault of the library's own mapping.
void MappedView::prepare(uint32_t first, uint32_t count) {
    const auto pages = static_cast<uint32_t>(adopted_.size());
    for (uint32_t place = first / group; place <= (first + count - 1) / group; place++) {
        if (!made_[place]) {
            make(place * group, std::min(group, pages - place * group));
            made_[place] = true;
        }
    }
}

// Does not make pages that have their homes here, whose bytes are in the segment. A kernel before Linux 5.14 refuses.
void MappedView::make(uint32_t first, uint32_t count) {
    for (uint32_t page = first, end = first; page < first + count; page = end + 1) {
        for (end = page; end < first + count && !adopted_[end]; end++) {
        }
        if (end > page) {
            ::madvise(own_ + uint64_t{page} * page_bytes, uint64_t{end - page} * page_bytes, populate_write);
        }
    }
}

// A BPF map that is mapped for reading only stays so. So it is mapped for writing elsewhere, and moved here once it has
// its right: no thread can write a page meanwhile without being seen.
void MappedView::adopt(uint32_t first, uint32_t count, Right right) {
    const uint64_t start = uint64_t{first} * page_bytes;
    const uint64_t length = uint64_t{count} * page_bytes;
    void* const elsewhere =
        ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, segment_.get(), static_cast<off_t>(slots_ + start));
    if (elsewhere == MAP_FAILED || ::mprotect(elsewhere, length, protection_of(right)) != 0 ||
        ::mremap(elsewhere, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, memory_ + start) != memory_ + start) {
        fail_mapping();
    }
    const auto place_of = [&](uint32_t page) { return made_.begin() + page / group; };
    if (std::any_of(place_of(first), place_of(first + count - 1) + 1, [](bool made) { return made; })) {
        ::madvise(own_ + start, length, MADV_REMOVE);
    }
    std::fill_n(adopted_.begin() + first, count, true);
}

bool MappedView::change_adopted(uint32_t first, uint32_t count, Right to) {
    return ::mprotect(memory_ + uint64_t{first} * page_bytes, uint64_t{count} * page_bytes, protection_of(to)) == 0;
}

void MappedView::disown() {
    (void)::mmap(memory_, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    ::munmap(own_, bytes_);
}

MappedView::~MappedView() {
    ::munmap(memory_, bytes_);
    ::munmap(own_, bytes_);
}

}  // namespace syncline::dsm
