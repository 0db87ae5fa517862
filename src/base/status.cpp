// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.h"

#include <atomic>

#include "syncline.h"

namespace syncline {

namespace {

std::atomic<const char*> node_text = "the daemon of this node is gone";

}  // namespace

void explain_node_status(const std::string& sentence) {
    static std::atomic<bool> is_explained = false;
    static char text[256];
    if (!sentence.empty() && !is_explained.exchange(true)) {
        text[sentence.copy(text, sizeof(text) - 1)] = '\0';
        node_text.store(text, std::memory_order_release);
    }
}

const char* status_text(int status) {
    switch (status) {
        case SYNCLINE_OK:
            return "success";
        case SYNCLINE_ERR_INVALID:
            return "invalid argument";
        case SYNCLINE_ERR_RANK:
            return "no such PE";
        case SYNCLINE_ERR_ADDRESS:
            return "address outside any open segment";
        case SYNCLINE_ERR_ALIGNMENT:
            return "misaligned atomic";
        case SYNCLINE_ERR_NO_MEMORY:
            return "out of memory";
        case SYNCLINE_ERR_PERMISSION:
            return "a privilege is missing";
        case SYNCLINE_ERR_UNSUPPORTED:
            return "not supported here";
        case SYNCLINE_ERR_BUSY:
            return "a resource is busy; try again";
        case SYNCLINE_ERR_PEER:
            return "the target PE or its node is gone";
        case SYNCLINE_ERR_NODE:
            return node_text.load(std::memory_order_acquire);
        case SYNCLINE_ERR_SYSTEM:
            return "a system call failed";
        case SYNCLINE_ERR_NOT_FOUND:
            return "not found";
        case SYNCLINE_ERR_NOT_INITIALIZED:
            return "not initialized";
        case SYNCLINE_ERR_PROTOCOL:
            return "protocol error";
        case SYNCLINE_ERR_TIMEOUT:
            return "the time is up";
        case SYNCLINE_ERR_BROKEN:
            return "broken: a PE that held it or waited for it is gone, or its home is gone";
        case SYNCLINE_ERR_INTERRUPTED:
            return "the program has interrupted the call";
        default:
            return "unknown status";
    }
}

}  // namespace syncline
