// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: pages by number of nodes (Noronha and Panda's figure 8), locks and barriers; of applications
// the time, its parts, and the time of pages and of handlers, and faults (their figures 10 to 14).
#include <algorithm>

#include "bench/report/dsm_quantities.h"
#include "bench/report/looks.h"
#include "bench/report/panels.h"
#include "bench/report/pictures.h"

namespace syncline::bench {

namespace {

class DsmPicture {
  public:
    explicit DsmPicture(const Json& result)
        : result_(result), protocols_(result.at("parameters").at("protocols").get<std::vector<std::string>>()) {
        for (const Json& nodes : result.at("parameters").at("nodes")) {
            nodes_ = std::max(nodes_, nodes.get<uint64_t>());
        }
    }

    void add_pages(int mtu);
    void add_synchronisation(int mtu);
    void add_times(int mtu, const std::string& size);
    void add_shares(int mtu, const std::string& size);
    void add_details(int mtu, const std::string& size);
    Figure finish() { return std::move(figure_); }

  private:
    // By nodes, a line for each protocol, in s where the quantity is a time; then the others.
    void add_lines(const std::string& title, const std::string& subtitle, const Quantity& quantity, const Json& where,
                   const std::vector<FigureSeries>& others = {});
    // A cell for each protocol: that application among the most nodes.
    Row row_of(const Quantity& quantity, const DsmApplication& application, int mtu, const std::string& size) const;

    const Json& result_;
    const std::vector<std::string> protocols_;
    uint64_t nodes_ = 0;              // the most
    Figure figure_ = {.columns = 3};  // there are some thirty panels
};

bool is_in_ns(const Quantity& quantity) {
    return std::string_view(quantity.unit) == "ns";
}

Axis axis_of(const Quantity& quantity) {
    const bool is_time = is_in_ns(quantity) || std::string_view(quantity.unit) == "s";
    return is_time ? time_axis() : number_axis(quantity.unit);
}

void DsmPicture::add_lines(const std::string& title, const std::string& subtitle, const Quantity& quantity,
                           const Json& where, const std::vector<FigureSeries>& others) {
    Panel panel = {.title = title, .subtitle = subtitle, .at = number_axis("nodes"), .value = axis_of(quantity)};
    panel.series =
        lines_over_rows(rows_of(result_, quantity, where), protocols_, is_in_ns(quantity) ? seconds_of_ns : 1);
    if (!panel.series.empty()) {
        panel.series.insert(panel.series.end(), others.begin(), others.end());
    }
    add_panel(&figure_, std::move(panel));
}

Row DsmPicture::row_of(const Quantity& quantity, const DsmApplication& application, int mtu,
                       const std::string& size) const {
    const std::vector<Row> rows =
        rows_of(result_, quantity, {{"subject", application.name}, {"nodes", nodes_}, {"mtu", mtu}, {"size", size}});
    Row row = {application.title, {}};
    for (const std::string& protocol : protocols_) {
        if (const Cell* const cell = rows.empty() ? nullptr : rows.front().find(protocol); cell != nullptr) {
            row.cells.push_back({protocol, *cell});
        }
    }
    return row;
}

// With the time of a fetch&add between the nodes as a yardstick.
void DsmPicture::add_pages(int mtu) {
    const std::string links = fmt::format(", MTU {}", mtu);
    const auto add = [&](const char* title, const char* subtitle, const char* subject, const NamedSubject& yardstick) {
        const std::vector<Row> rows =
            rows_of(result_, quantities::page_time, {{"subject", yardstick.name}, {"mtu", mtu}});
        add_lines(title + links, subtitle, quantities::page_time, {{"subject", subject}, {"mtu", mtu}},
                  lines_over_rows(rows, {library_series, bare_series}));
    };
    add("A page, all others read at once", "first time, in order", "first_in_order_contended", fetch_add_contended);
    add("A page, one process reads", "first time, scattered", "first_scattered_alone", fetch_add_alone);
    add_lines("CPU time of a page" + links, "first time, in order, all others read at once", quantities::page_cpu,
              {{"subject", "first_in_order_contended"}, {"mtu", mtu}});
}

void DsmPicture::add_synchronisation(int mtu) {
    const auto add = [&](const char* title, const char* subtitle, const NamedSubject& subject) {
        add_lines(fmt::format("{}, MTU {}", title, mtu), subtitle, quantities::shared_synchronisation,
                  {{"subject", subject.name}, {"mtu", mtu}});
    };
    add("Lock, handed over", "lock, increment, unlock by all at once", lock_contended);
    add("Barrier", "without writes", barrier_plain);
    add("Barrier behind writes", "each process has written a page", barrier_writes);
}

void DsmPicture::add_times(int mtu, const std::string& size) {
    for (const DsmApplication& application : dsm_applications) {
        add_lines(fmt::format("{}, {} size", application.title, size),
                  fmt::format("time of the application, MTU {}", mtu), quantities::application,
                  {{"subject", application.name}, {"mtu", mtu}, {"size", size}});
    }
}

// A bar for each application and protocol.
void DsmPicture::add_shares(int mtu, const std::string& size) {
    Panel panel = {.kind = Panel::Kind::kStacks,
                   .title = fmt::format("Where the time goes, {} size, {} nodes", size, nodes_),
                   .subtitle = fmt::format("mean of the processes; 100 %: the time with {}", protocols_.back()),
                   .value = {"time, %", Scale::kLinear}};
    for (const ShareOfTime& share : shares_of_time) {
        panel.series.push_back({share.title, {share.colour, 0, 1}, {}});
    }
    for (const DsmApplication& application : dsm_applications) {
        const Row times = row_of(quantities::application, application, mtu, size);
        const Cell* const whole = times.find(protocols_.back());
        for (const NamedCell& time : whole != nullptr ? times.cells : std::vector<NamedCell>()) {
            const auto at = static_cast<double>(panel.rows.size());
            panel.rows.push_back(fmt::format("{}, {}", application.title, time.series));
            for (size_t i = 0; i < std::size(shares_of_time); i++) {
                const Row parts = row_of(shares_of_time[i].quantity, application, mtu, size);
                const Cell* const part = parts.find(time.series);
                const double percent = part != nullptr ? std::max(part->median, 0.0) / whole->median * 100 : 0;
                panel.series[i].samples.push_back({at, percent, percent, percent});
            }
        }
    }
    if (!panel.rows.empty()) {
        add_panel(&figure_, std::move(panel));
    }
}

void DsmPicture::add_details(int mtu, const std::string& size) {
    const auto add = [&](const char* title, const Quantity& quantity) {
        std::vector<Row> rows;
        for (const DsmApplication& application : dsm_applications) {
            if (const Row row = row_of(quantity, application, mtu, size); !row.cells.empty()) {
                rows.push_back(row);
            }
        }
        add_panel(&figure_, dots_panel(fmt::format("{}, {} size, {} nodes", title, size, nodes_),
                                       "mean of the processes", axis_of(quantity), rows, 1));
    };
    add("Time of page fetches", quantities::application_page);
    add("Time of the handler", quantities::application_handler);
    add("Page faults", quantities::application_faults);
}

}  // namespace

Figure picture_of_dsm(const Json& result) {
    const Json& parameters = result.at("parameters");
    DsmPicture picture(result);
    for (const int mtu : parameters.at("mtu")) {
        picture.add_pages(mtu);
        picture.add_synchronisation(mtu);
    }
    const int mtu = parameters.at("mtu").at(0);  // the applications'
    for (const std::string size : parameters.at("sizes")) {
        picture.add_times(mtu, size);
    }
    const std::string first_size = parameters.at("sizes").at(0);
    picture.add_shares(mtu, first_size);
    picture.add_details(mtu, first_size);
    return picture.finish();
}

}  // namespace syncline::bench
