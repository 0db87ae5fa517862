// SPDX-License-Identifier: BSD-3-Clause
// Method: hundreds of barriers with PEs skewed by chance. In front of each, a PE posts its round's number to its
// neighbours; behind it, the numbers of all neighbours must be there, so no PE was let through early and posted
// operations were complete.
#include "contract.h"

namespace contract {
void run_barrier() {
    const int rounds = repeats(200);
    const syncline_address_t arrived = allocate(static_cast<size_t>(size()) * 8);
    const auto* const words = local(arrived);
    Random random(static_cast<uint64_t>(rank()) + 3);
    for (int round = 1; round <= rounds; round++) {
        for (const int distance : {1, size() / 2}) {
            MUST(syncline_store64((rank() + distance) % size(), arrived + static_cast<size_t>(rank()) * 8,
                                  static_cast<uint64_t>(round)));
        }
        if (random.below(200) == 0) {
            sleep_us(random.below(2000));
        }
        MUST(syncline_barrier());
        for (const int distance : {1, size() / 2}) {
            const uint64_t seen = __atomic_load_n(&words[(rank() + size() - distance) % size()], __ATOMIC_ACQUIRE);
            EXPECT(seen == static_cast<uint64_t>(round) || seen == static_cast<uint64_t>(round) + 1);
        }
    }
    MUST(syncline_barrier());
    MUST(syncline_free(arrived));
}

}  // namespace contract
