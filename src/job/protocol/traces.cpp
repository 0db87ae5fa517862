// SPDX-License-Identifier: BSD-3-Clause
#include "job/protocol/traces.h"

#include "base/failure.h"

namespace syncline {

std::vector<ReadTrace> ask_for_traces(Channel* channel, uint32_t job, uint32_t node, const Channel::Await& await) {
    std::vector<ReadTrace> traces;
    TracesAnswer found = {1, 0};
    for (uint32_t first = 0; first < found.traces;) {
        Message request;
        request.type = MessageType::kTraces;
        request.append(TracesRequest{job, node, first, 0});
        const Message answer = channel->call(request, await);
        if (!answer.read(&found) || (answer.fds.empty() && first < found.traces)) {
            fail(SYNCLINE_ERR_PROTOCOL, "the answer about the traces of node {} is too short", node);
        }
        for (const UniqueFd& file : answer.fds) {
            if (std::optional<ReadTrace> trace = read_trace(file.get())) {
                traces.push_back(std::move(*trace));
            }
        }
        first += static_cast<uint32_t>(answer.fds.size());
    }
    return traces;
}

}  // namespace syncline
