// SPDX-License-Identifier: BSD-3-Clause
// Method: programs that access memory without the right to, and programs that are wrong or have handlers of their own;
// those that are to die are children, whose end is looked at.
#include "dsm/live/faults.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstdlib>
#include <thread>
#include <vector>

#include "dsm/live/mapped_view.h"

namespace syncline::dsm {
namespace {

constexpr uint32_t fault_pages = 8;
uint8_t* const fault_place = reinterpret_cast<uint8_t*>(uint64_t{0x2124} << 32);

struct Access {
    uint64_t offset;
    bool is_write;
    bool operator==(const Access&) const = default;
};

// A view whose pages come as they are asked for.
struct FaultyMemory {
    explicit FaultyMemory(MappedView::Means means)
        : view(MappedView::create(fault_place, fault_pages, means)),
          rights(fault_pages, Right::kNone),
          faults(fault_place, uint64_t{fault_pages} * page_bytes, [this](uint64_t offset, bool is_write) {
              accesses.push_back({offset, is_write});
              const auto page = static_cast<uint32_t>(offset / page_bytes);
              const Right to = is_write ? Right::kWrite : Right::kRead;
              view->change(page, 1, rights[page], to);
              rights[page] = to;
              errno = 12345;
          }) {}

    std::unique_ptr<MappedView> view;
    std::vector<Right> rights;
    std::vector<Access> accesses;
    Faults faults;
};

class FaultsOf : public testing::TestWithParam<MappedView::Means> {
  protected:
    void SetUp() override {
        if (GetParam() == MappedView::Means::kUserfault && !MappedView::has_userfault()) {
            GTEST_SKIP() << "this kernel has no userfaultfd with signals and minor faults of files, or forbids it";
        }
        testing::GTEST_FLAG(death_test_style) = "fast";
    }
};

TEST_P(FaultsOf, AreReadsOrWrites) {
    FaultyMemory memory(GetParam());
    volatile uint8_t* const bytes = fault_place;
    errno = 7;
    EXPECT_EQ(bytes[5], 0);
    EXPECT_EQ(errno, 7) << "the handler leaves errno as it was";
    bytes[6] = 1;
    bytes[7] = 1;
    bytes[2 * page_bytes + 9] = 1;
    EXPECT_EQ(bytes[2 * page_bytes + 9], 1);
    __atomic_fetch_add(reinterpret_cast<uint32_t*>(fault_place + 4 * page_bytes), 1, __ATOMIC_SEQ_CST);
    const std::vector<Access> expected = {{5, false}, {6, true}, {2 * page_bytes + 9, true}, {4 * page_bytes, true}};
#ifdef __x86_64__
    EXPECT_EQ(memory.accesses, expected);
#endif
    EXPECT_EQ(bytes[4 * page_bytes], 1);
}

// One instruction that needs two pages comes to its end.
TEST_P(FaultsOf, OneAccessMayNeedTwoPages) {
    FaultyMemory memory(GetParam());
    struct [[gnu::packed]] Long {
        uint64_t value;
    };
    auto* const across = reinterpret_cast<volatile Long*>(fault_place + page_bytes - 3);
    across->value = 0x1122334455667788;
    EXPECT_EQ(uint64_t{across->value}, 0x1122334455667788u);
    EXPECT_GE(memory.accesses.size(), 2u);
}

TEST_P(FaultsOf, ComeFromManyThreads) {
    FaultyMemory memory(GetParam());
    std::vector<std::thread> threads;
    for (uint32_t thread = 0; thread < fault_pages; thread++) {
        threads.emplace_back([thread] { static_cast<volatile uint8_t*>(fault_place)[thread * page_bytes] = 1; });
        threads.back().join();
    }
    EXPECT_EQ(memory.accesses.size(), fault_pages);
}

void* unmapped() {
    void* const page = ::mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page;
}

TEST_P(FaultsOf, ElsewhereAreTheOrdinaryCrash) {
    const auto at = [&](volatile uint8_t* byte) {
        FaultyMemory memory(GetParam());
        fault_place[0] = 1;  // it works
        *byte = 1;
    };
    EXPECT_EXIT(at(static_cast<uint8_t*>(unmapped())), testing::KilledBySignal(SIGSEGV), "");
    EXPECT_EXIT(at(nullptr), testing::KilledBySignal(SIGSEGV), "");
    EXPECT_EXIT(at(fault_place - 1), testing::KilledBySignal(SIGSEGV), "");
    EXPECT_EXIT(at(fault_place + fault_pages * page_bytes), testing::KilledBySignal(SIGSEGV), "");
    // Behind the end of a file.
    const auto behind_the_end = [&] {
        char name[] = "/tmp/syncline-faults-XXXXXX";
        const int file = ::mkstemp(name);
        ::unlink(name);
        at(static_cast<uint8_t*>(::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)));
    };
    EXPECT_EXIT(behind_the_end(), testing::KilledBySignal(SIGBUS), "");
    const auto executed = [&] {
        FaultyMemory memory(GetParam());
        reinterpret_cast<void (*)()>(unmapped())();
    };
    EXPECT_EXIT(executed(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(FaultsOf, SignalsThatAreSentAreNoFaults) {
    for (const int number : {SIGSEGV, SIGBUS}) {
        const auto sent = [&] {
            FaultyMemory memory(GetParam());
            ::kill(::getpid(), number);
            ::_exit(memory.accesses.empty() ? 3 : 4);
        };
        EXPECT_EXIT(sent(), testing::KilledBySignal(number), "");
        const auto sent_and_ignored = [&] {
            ::signal(number, SIG_IGN);
            sent();
        };
        EXPECT_EXIT(sent_and_ignored(), testing::ExitedWithCode(3), "");
    }
}

// The kernel kills a program that ignores a fault, too.
TEST_P(FaultsOf, FaultsCannotBeIgnored) {
    const auto ignores = [&] {
        ::signal(SIGSEGV, SIG_IGN);
        FaultyMemory memory(GetParam());
        *static_cast<volatile uint8_t*>(unmapped()) = 1;
    };
    EXPECT_EXIT(ignores(), testing::KilledBySignal(SIGSEGV), "");
}

std::atomic<const void*> told_address;
std::atomic<int> told_number;
sigjmp_buf told_back;

TEST_P(FaultsOf, ElsewhereGoToTheHandlerThatWasThere) {
    struct sigaction own = {}, before = {};
    own.sa_flags = SA_SIGINFO | SA_NODEFER;
    own.sa_sigaction = [](int number, siginfo_t* info, void*) {
        told_number = number;
        told_address = info->si_addr;
        siglongjmp(told_back, 1);
    };
    ::sigaction(SIGSEGV, &own, &before);
    auto* const page = static_cast<uint8_t*>(unmapped());
    {
        FaultyMemory memory(GetParam());
        fault_place[3] = 1;
        if (sigsetjmp(told_back, 1) == 0) {
            static_cast<volatile uint8_t*>(page)[77] = 1;
        }
        EXPECT_EQ(told_number, SIGSEGV);
        EXPECT_EQ(told_address, page + 77);
        fault_place[page_bytes] = 1;
        EXPECT_EQ(memory.accesses.size(), 2u);
    }
    // And is there alone afterwards.
    struct sigaction after = {};
    ::sigaction(SIGSEGV, &before, &after);
    EXPECT_EQ(after.sa_sigaction, own.sa_sigaction);
    ::munmap(page, page_bytes);
}

TEST_P(FaultsOf, ElsewhereGoToAPlainHandler) {
    const auto exits = [&] {
        ::signal(SIGSEGV, [](int number) { ::_exit(number + 40); });
        FaultyMemory memory(GetParam());
        fault_place[3] = 1;
        *static_cast<volatile uint8_t*>(unmapped()) = 1;
    };
    EXPECT_EXIT(exits(), testing::ExitedWithCode(SIGSEGV + 40), "");
}

INSTANTIATE_TEST_SUITE_P(Means, FaultsOf,
                         testing::Values(MappedView::Means::kUserfault, MappedView::Means::kProtection),
                         [](const auto& one) {
                             return std::string(one.param == MappedView::Means::kUserfault ? "userfault" : "mprotect");
                         });

}  // namespace
}  // namespace syncline::dsm
