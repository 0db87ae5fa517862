// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fabric/pes_of_a_node.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

#include "base/clock.h"
#include "fabric/choice/factory.h"

namespace syncline {

using namespace testing_daemon;

PesOfANode::PesOfANode() {
    spdlog::set_level(spdlog::level::off);
    create_job();
    daemon_ = std::thread([this] {
        while (!stop_.load()) {
            server_.daemon.do_work(5);
        }
    });
    attach(0);
    attach(1);
}

PesOfANode::~PesOfANode() {
    stop_ = true;
    daemon_.join();
}

void PesOfANode::create_job() {
    job_.transport = GetParam().transport;
    job_.heap_bytes = heap_blocks * SLW_BLOCK_BYTES;
    job_.config.window = 8;
    job_.config.udp_port = 10000 + static_cast<uint32_t>(::getpid()) % 20000;
    if (!GetParam().direct) {
        job_.faults = {.loss = 1e-15};  // a job of one node has packets if it asks for faults, and here none comes
    }
    if (GetParam().faults) {
        job_.faults = {.loss = 0.1, .duplicate = 0.1, .reorder = 0.1, .corrupt = 0.05, .seed = 11};
    }
    creator_ = server_.greeted();
    const Message created = server_.ask(&creator_, create_message(job_));
    EXPECT_EQ(created.status, SYNCLINE_OK) << created.text();
}

void PesOfANode::attach(int rank) {
    ::setenv("SYNCLINE_SOCKET", server_.address.c_str(), 1);
    ::setenv("SYNCLINE_RANK", std::to_string(rank).c_str(), 1);
    ::setenv("SYNCLINE_JOB", fmt::format("{:x}", job_.config.job).c_str(), 1);
    ::setenv("SYNCLINE_TOKEN", fmt::format("{:x}", job_.token).c_str(), 1);
    attachments_[rank] = Attachment::create();
    Attachment* const attached = attachments_[rank].get();
    const Path& path = GetParam();
    local_[rank] = std::make_unique<LocalMemory>(attached);
    std::unique_ptr<PacketTables> tables;
    std::unique_ptr<Transport> transport;
    if (!path.direct) {
        tables = std::make_unique<PacketTables>(PacketTables::map(attached));
        transport = make_transport(attached, *tables, local_[rank].get());
    }
    fabrics_[rank] = std::make_unique<Fabrics>(attached, std::move(tables), std::move(transport),
                                               Fabrics::Options{20000, path.direct});
}

bool PesOfANode::await(Fabrics* fabrics, const std::function<bool()>& done) {
    const uint64_t deadline = now_ns() + 60'000 * ns_per_ms;
    for (uint64_t turn = 0; !done(); turn++) {
        fabrics->flush();
        fabrics->progress();
        if (turn % 64 == 63) {
            (void)fabrics->retry(now_ns());
            std::this_thread::yield();
        }
        if (now_ns() > deadline) {
            return false;
        }
    }
    return true;
}

int PesOfANode::run(Fabrics* fabrics, Completion* completion, const std::function<int()>& call) {
    int status = SYNCLINE_ERR_BUSY;
    EXPECT_TRUE(await(fabrics, [&] {
        status = call();
        return status != SYNCLINE_ERR_BUSY;
    })) << "there is room at last";
    EXPECT_TRUE(await(fabrics, [&] { return completion->is_over(); })) << "everything is answered at last";
    return status != SYNCLINE_OK ? status : completion->status();
}

int PesOfANode::run(const std::function<int(Completion*)>& call) {
    Completion completion;
    return run(fabrics_[0].get(), &completion, [&] { return call(&completion); });
}

}  // namespace syncline
