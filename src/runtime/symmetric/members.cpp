// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/members.h"

#include <algorithm>

namespace syncline {

Members Members::of(std::vector<int> pes) {
    const int size = static_cast<int>(pes.size());
    const int stride = size > 1 ? pes[1] - pes[0] : 1;
    for (int member = 2; member < size; member++) {
        if (pes[static_cast<size_t>(member)] != pes[0] + member * stride) {
            return {pes[0], 1, size, std::move(pes)};
        }
    }
    return {pes[0], stride, size};
}

Members Members::part(int first, int step, int count) const {
    if (list.empty()) {
        return {pe(first), step * stride, count};
    }
    std::vector<int> pes;
    for (int member = 0; member < count; member++) {
        pes.push_back(pe(first + member * step));
    }
    return {pes[0], 1, count, std::move(pes)};
}

int Members::find(int pe) const {
    if (!list.empty()) {
        const auto found = std::find(list.begin(), list.end(), pe);
        return found == list.end() ? -1 : static_cast<int>(found - list.begin());
    }
    const int offset = pe - start;
    const int place = size > 1 && stride != 0 && offset % stride == 0 ? offset / stride : offset == 0 ? 0 : -1;
    return place >= 0 && place < size ? place : -1;
}

}  // namespace syncline
