// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/pages/model.h"

#include <algorithm>

#include "sim/kernel/kernel.h"

namespace syncline::sim {

namespace {

constexpr const char* protocol_names[] = {"async", "ardmar"};

class Pages final : public Component {
  public:
    explicit Pages(const PagesParameters& parameters) : p_(parameters), readers_(p_.nodes - 1) {}

    Results run() {
        for (uint64_t reader = 0; reader < readers_.size(); reader++) {
            schedule(0, reader, Step::kFault);
        }
        kernel_.run();
        Results results;
        results.add("fetch_us", to_us(waited_) / static_cast<double>(fetched_));
        results.add("handler_busy", to_ns(handler_busy_) / to_ns(kernel_.now()));
        results.add("fetched", static_cast<int64_t>(fetched_));
        results.add("events", static_cast<int64_t>(kernel_.events()));
        return results;
    }

    void handle(uint64_t what) override {
        const uint64_t reader = what / steps;
        switch (static_cast<Step>(what % steps)) {
            case Step::kFault:
                readers_[reader].since = kernel_.now();
                schedule(from_ns(async() ? p_.request_ns : 0), reader, async() ? Step::kRequest : Step::kAtomic);
                break;
            case Step::kRequest:
                schedule(serve_request() - kernel_.now(), reader, Step::kFetched);
                break;
            case Step::kAtomic:
                schedule(queue(&atomics_, p_.atomic_busy_ns) + from_ns(p_.atomic_ns), reader, Step::kRead);
                break;
            case Step::kRead:
                // The link is a part of read_ns as long as nobody else wants it.
                schedule(queue(&link_, static_cast<double>(p_.page_bytes) / p_.gigabytes_per_s) + from_ns(p_.read_ns),
                         reader, Step::kFetched);
                break;
            case Step::kFetched:
                fetched(reader);
                break;
        }
    }

  private:
    enum class Step : uint64_t { kFault, kRequest, kAtomic, kRead, kFetched };
    static constexpr uint64_t steps = 5;
    struct Reader {
        uint64_t pages = 0;
        Time since = 0;
    };

    bool async() const { return p_.protocol == PageProtocol::kAsync; }

    void schedule(Time delay, uint64_t reader, Step step) {
        kernel_.after(delay, this, reader * steps + static_cast<uint64_t>(step));
    }

    // How long to wait for a part of the adapter, which is then busy for a while.
    Time queue(Time* free, double busy_ns) {
        const Time start = std::max(*free, kernel_.now());
        *free = start + from_ns(busy_ns);
        return start - kernel_.now();
    }

    // When the handler is done with it.
    Time serve_request() {
        const Time work = from_ns(p_.page_ns + p_.control_ns + p_.receive_ns);
        handler_ = std::max(handler_, kernel_.now()) + work;
        handler_busy_ += work;
        return handler_;
    }

    void fetched(uint64_t reader) {
        fetched_++;
        waited_ += kernel_.now() - readers_[reader].since;
        if (++readers_[reader].pages < p_.pages) {
            schedule(from_ns(p_.fault_ns), reader, Step::kFault);
        }
    }

    const PagesParameters p_;
    Kernel kernel_;
    std::vector<Reader> readers_;
    Time handler_ = 0, atomics_ = 0, link_ = 0;  // until when each is busy
    Time handler_busy_ = 0, waited_ = 0;
    uint64_t fetched_ = 0;
};

}  // namespace

void PagesParameters::visit(Visitor* visitor) {
    visitor->choice("workload.protocol", &protocol, protocol_names, "how a page is fetched");
    visitor->count("workload.nodes", &nodes, 2, 65536, "nodes; all but the first fetch");
    visitor->count("workload.pages", &pages, 1, 1 << 20, "that each of them fetches");
    visitor->count("workload.page_bytes", &page_bytes, 1, 1 << 30, "of a page");
    visitor->cost("handler.request_ns", &request_ns, "async: the request");
    visitor->cost("handler.page_ns", &page_ns, "async: to write the page");
    visitor->cost("handler.control_ns", &control_ns, "async: to write that it is there");
    visitor->cost("handler.receive_ns", &receive_ns, "async: to be ready for the next request");
    visitor->cost("adapter.atomic_ns", &atomic_ns, "ardmar: a remote atomic operation");
    visitor->cost("adapter.atomic_busy_ns", &atomic_busy_ns, "of which the adapter can execute no other");
    visitor->cost("adapter.read_ns", &read_ns, "ardmar: to read a page");
    visitor->number("adapter.bandwidth_gbps", &gigabytes_per_s, 1e-3, 1e5, "gigabytes per second of its link");
    visitor->cost("host.fault_ns", &fault_ns, "of a page fault, between fetches");
}

Results PagesModel::run() const {
    return Pages(parameters_).run();
}

}  // namespace syncline::sim
