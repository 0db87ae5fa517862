// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/pages/model.h"

#include <algorithm>

#include "sim/kernel/kernel.h"

namespace syncline::sim::pages {

namespace {

constexpr const char* protocol_names[] = {"async", "ardmar"};

class Pages final : public Component {
  public:
    explicit Pages(const Parameters& parameters) : p_(parameters), readers_(p_.workload.nodes - 1) {}

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
                schedule(from_ns(async() ? p_.handler.request_ns : 0), reader,
                         async() ? Step::kRequest : Step::kAtomic);
                break;
            case Step::kRequest:
                schedule(serve_request() - kernel_.now(), reader, Step::kFetched);
                break;
            case Step::kAtomic:
                schedule(queue(&atomics_, p_.adapter.atomic_busy_ns) + from_ns(p_.adapter.atomic_ns), reader,
                         Step::kRead);
                break;
            case Step::kRead:
                // read_ns includes the time on the link as long as no other reader wants the link.
                schedule(queue(&link_, static_cast<double>(p_.workload.page_bytes) / p_.adapter.bandwidth_gbps) +
                             from_ns(p_.adapter.read_ns),
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

    bool async() const { return p_.workload.protocol == Protocol::kAsync; }

    void schedule(Time delay, uint64_t reader, Step step) {
        kernel_.after(delay, this, reader * steps + static_cast<uint64_t>(step));
    }

    // Returns how long to wait for a part of the adapter, which is then busy for `busy`.
    Time queue(Time* free, double busy_ns) {
        const Time start = std::max(*free, kernel_.now());
        *free = start + from_ns(busy_ns);
        return start - kernel_.now();
    }

    // Returns when the handler has finished the request.
    Time serve_request() {
        const Time work = from_ns(p_.handler.page_ns + p_.handler.control_ns + p_.handler.receive_ns);
        handler_ = std::max(handler_, kernel_.now()) + work;
        handler_busy_ += work;
        return handler_;
    }

    void fetched(uint64_t reader) {
        fetched_++;
        waited_ += kernel_.now() - readers_[reader].since;
        if (++readers_[reader].pages < p_.workload.pages) {
            schedule(from_ns(p_.host.fault_ns), reader, Step::kFault);
        }
    }

    const Parameters p_;
    Kernel kernel_;
    std::vector<Reader> readers_;
    Time handler_ = 0, atomics_ = 0, link_ = 0;  // the times until which each is busy
    Time handler_busy_ = 0, waited_ = 0;
    uint64_t fetched_ = 0;
};

}  // namespace

void Parameters::visit(Visitor* visitor) {
    visitor->choice("workload.protocol", &workload.protocol, protocol_names, "protocol that fetches a page");
    visitor->count("workload.nodes", &workload.nodes, 2, 65536, "nodes; all but the first fetch");
    visitor->count("workload.pages", &workload.pages, 1, 1 << 20, "pages that each of these nodes fetches");
    visitor->count("workload.page_bytes", &workload.page_bytes, 1, 1 << 30, "bytes of a page");
    visitor->cost("handler.request_ns", &handler.request_ns, "async: time for the request");
    visitor->cost("handler.page_ns", &handler.page_ns, "async: time to write the page");
    visitor->cost("handler.control_ns", &handler.control_ns,
                  "async: time to write the word that says that the page is there");
    visitor->cost("handler.receive_ns", &handler.receive_ns,
                  "async: time until the handler is ready for the next request");
    visitor->cost("adapter.atomic_ns", &adapter.atomic_ns, "ardmar: time of a remote atomic operation");
    visitor->cost("adapter.atomic_busy_ns", &adapter.atomic_busy_ns,
                  "part of atomic_ns in which the adapter can execute no other operation");
    visitor->cost("adapter.read_ns", &adapter.read_ns, "ardmar: time to read a page");
    visitor->number("adapter.bandwidth_gbps", &adapter.bandwidth_gbps, 1e-3, 1e5,
                    "bandwidth of the adapter's link in gigabytes per second");
    visitor->cost("host.fault_ns", &host.fault_ns, "time of a page fault, between fetches");
}

Results run(const Parameters& parameters) {
    return Pages(parameters).run();
}

}  // namespace syncline::sim::pages
