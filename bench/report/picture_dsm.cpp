// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: pages by number of nodes (002, figure 8), locks and barriers, and for applications the time,
// the time of pages and of handlers, faults (figures 10 and 12 to 14), and the parts of the time (figure 11).
#include <algorithm>

#include "bench/report/dsm_quantities.h"
#include "bench/report/pictures.h"
#include "bench/report/stacked_bars.h"

namespace syncline::bench {
namespace {

constexpr double dsm_width = 1500, micro_height = 380, application_height = 320, shares_height = 430;

// Entries of one quantity and one subject, by the links of one MTU.
struct DsmSelection {
    Quantity quantity;
    std::string subject;
    int mtu;
    std::string size = {};
};

const Json* find_entry(const Json& result, const DsmSelection& selection, const std::string& condition,
                       uint64_t nodes) {
    for (const Json& entry : result.at("series")) {
        const Json& at = entry.at("at");
        if (entry.at("benchmark") == selection.quantity.benchmark && entry.at("subject") == selection.subject &&
            entry.at("condition") == condition && at.at("nodes") == nodes && at.at("mtu") == selection.mtu &&
            at.value("size", "") == selection.size) {
            return &entry;
        }
    }
    return nullptr;
}

struct DsmLine {
    std::string series;
    std::vector<Place> values;  // nodes, median
};

class DsmPicture {
  public:
    explicit DsmPicture(const Json& result)
        : result_(result),
          nodes_(result.at("parameters").at("nodes").get<std::vector<uint64_t>>()),
          svg_(dsm_width, 1) {
        for (const Json& protocol : result.at("parameters").at("protocols")) {
            protocols_.push_back(protocol);
        }
    }

    // A row of charts below what is there.
    struct Piece {
        Chart::Texts texts;
        std::vector<DsmLine> lines;
    };
    void add_row(const std::vector<Piece>& pieces, double height) {
        const double chart_width = dsm_width / static_cast<double>(pieces.size());
        double left = 0;
        for (const Piece& piece : pieces) {
            if (!piece.lines.empty()) {
                draw({left, bottom_}, chart_width, height, piece);
            }
            left += chart_width;
        }
        bottom_ += height;
    }
    // Those of the conditions that were measured.
    std::vector<DsmLine> lines_of(const DsmSelection& selection, std::vector<std::string> others = {}) const;
    void add_shares(const std::string& size, int mtu);
    std::string finish();

  private:
    void draw(Place corner, double chart_width, double height, const Piece& piece);
    StackedBar bar_of(const DsmSelection& application, const std::string& protocol, double whole) const;

    const Json& result_;
    const std::vector<uint64_t> nodes_;
    std::vector<std::string> protocols_;
    Svg svg_;
    double bottom_ = 0;
};

std::vector<DsmLine> DsmPicture::lines_of(const DsmSelection& selection, std::vector<std::string> others) const {
    std::vector<DsmLine> lines;
    others.insert(others.begin(), protocols_.begin(), protocols_.end());
    for (const std::string& condition : others) {
        DsmLine line{condition, {}};
        for (const uint64_t nodes : nodes_) {
            if (const Json* const entry = find_entry(result_, selection, condition, nodes); entry != nullptr) {
                line.values.push_back({static_cast<double>(nodes), entry->at("median")});
            }
        }
        if (!line.values.empty()) {
            lines.push_back(line);
        }
    }
    return lines;
}

void DsmPicture::draw(Place corner, double chart_width, double height, const Piece& piece) {
    std::vector<std::string> series;
    double largest = 0;
    for (const DsmLine& line : piece.lines) {
        series.push_back(line.series);
        for (const Place& value : line.values) {
            largest = std::max(largest, value.y);
        }
    }
    Chart chart(&svg_, corner, chart_width, height, piece.texts, series);
    chart.scale_y(largest);
    chart.scale_x(std::vector<double>(nodes_.begin(), nodes_.end()));
    for (const DsmLine& line : piece.lines) {
        std::vector<Place> places;
        for (const Place& value : line.values) {
            places.push_back(chart.at(value.x, value.y));
        }
        chart.draw(places, colour_of(line.series));
    }
}

StackedBar DsmPicture::bar_of(const DsmSelection& application, const std::string& protocol, double whole) const {
    StackedBar bar{protocol, {}};
    for (const ShareOfTime& share : shares_of_time) {
        DsmSelection selection = application;
        selection.quantity = share.quantity;
        const Json* const entry = find_entry(result_, selection, protocol, nodes_.back());
        bar.parts.push_back(entry != nullptr ? std::max(entry->at("median").get<double>(), 0.0) / whole * 100 : 0);
    }
    return bar;
}

void DsmPicture::add_shares(const std::string& size, int mtu) {
    std::vector<StackPart> parts;
    for (const ShareOfTime& share : shares_of_time) {
        parts.push_back({share.title, share.colour});
    }
    std::vector<BarGroup> groups;
    for (const DsmApplication& application : dsm_applications) {
        const DsmSelection selection = {quantities::application, application.name, mtu, size};
        const std::vector<DsmLine> lines = lines_of(selection);
        const Json* const whole =
            lines.empty() ? nullptr : find_entry(result_, selection, lines.back().series, nodes_.back());
        if (whole == nullptr) {
            continue;
        }
        BarGroup group{application.title, {}};
        for (const DsmLine& line : lines) {
            group.bars.push_back(bar_of(selection, line.series, whole->at("median")));
        }
        groups.push_back(group);
    }
    if (!groups.empty()) {
        draw_stacked_bars(&svg_, {0, bottom_}, dsm_width, shares_height,
                          {fmt::format("Where the time goes: {} size, {} nodes", size, nodes_.back()),
                           fmt::format("mean of the processes; 100 %: the time with {}", protocols_.back()),
                           "application and protocol", "time, %"},
                          parts, groups);
        bottom_ += shares_height;
    }
}

std::string DsmPicture::finish() {
    svg_.grow(bottom_);
    svg_.foot(origin_of(result_));
    return svg_.finish();
}

std::vector<DsmLine> multiplied(std::vector<DsmLine> lines, double factor) {
    for (DsmLine& line : lines) {
        for (Place& value : line.values) {
            value.y *= factor;
        }
    }
    return lines;
}

std::vector<DsmLine> in_us(const std::vector<DsmLine>& lines) {
    return multiplied(lines, 1e-3);
}

double largest_of(const std::vector<DsmLine>& lines) {
    double largest = 0;
    for (const DsmLine& line : lines) {
        for (const Place& value : line.values) {
            largest = std::max(largest, value.y);
        }
    }
    return largest;
}

// In the unit that gives short numbers.
DsmPicture::Piece piece_of(Chart::Texts texts, const Quantity& quantity, const std::vector<DsmLine>& lines) {
    const double largest = largest_of(lines);
    if (std::string_view(quantity.unit) != "s") {
        texts.y_axis = quantity.unit;
        return {texts, lines};
    }
    texts.y_axis = largest < 1e-3 ? "time, µs" : largest < 1 ? "time, ms" : "time, s";
    return {texts, multiplied(lines, largest < 1e-3 ? 1e6 : largest < 1 ? 1e3 : 1)};
}

void add_pages(DsmPicture* picture, int mtu) {
    const auto page = [&](const char* subject) { return picture->lines_of({quantities::page_time, subject, mtu}); };
    const auto with_fetch_add = [&](std::vector<DsmLine> lines, const char* subject) {
        for (const DsmLine& line :
             picture->lines_of({quantities::page_time, subject, mtu}, {library_series, bare_series})) {
            lines.push_back(line);
        }
        return in_us(lines);
    };
    std::vector<DsmLine> contended = page("first_in_order_contended");
    if (contended.empty()) {
        return;
    }
    const std::string links = fmt::format("links with an MTU of {}", mtu);
    picture->add_row({{{"A page, all others read at once", "first time, in order; " + links, "nodes", "time, µs"},
                       with_fetch_add(contended, fetch_add_contended.name)},
                      {{"A page, one process reads", "first time, scattered; " + links, "nodes", "time, µs"},
                       with_fetch_add(page("first_scattered_alone"), fetch_add_alone.name)},
                      {{"A page, time of the CPUs", "all others at once, first time, in order", "nodes", "time, µs"},
                       in_us(picture->lines_of({quantities::page_cpu, "first_in_order_contended", mtu}))}},
                     micro_height);
}

void add_synchronisation(DsmPicture* picture, int mtu) {
    const auto lines = [&](const NamedSubject& subject) {
        return in_us(picture->lines_of({quantities::shared_synchronisation, subject.name, mtu}));
    };
    if (!lines(lock_contended).empty()) {
        picture->add_row({{{"Lock, handed over", "lock, increment, unlock by all at once", "nodes", "time, µs"},
                           lines(lock_contended)},
                          {{"Barrier", "without writes", "nodes", "time, µs"}, lines(barrier_plain)},
                          {{"Barrier behind writes", "each process has written a page", "nodes", "time, µs"},
                           lines(barrier_writes)}},
                         micro_height);
    }
}

struct ApplicationRow {
    Quantity quantity;
    const char* title;
    const char* subtitle;
};

void add_application_row(DsmPicture* picture, const ApplicationRow& row, const std::string& size, int mtu) {
    std::vector<DsmPicture::Piece> pieces;
    bool is_empty = true;
    for (const DsmApplication& application : dsm_applications) {
        pieces.push_back(piece_of({fmt::format("{}: {}", application.title, row.title),
                                   fmt::format("{} size{}", size, row.subtitle), "nodes", ""},
                                  row.quantity, picture->lines_of({row.quantity, application.name, mtu, size})));
        is_empty &= pieces.back().lines.empty();
    }
    if (!is_empty) {
        picture->add_row(pieces, application_height);
    }
}

}  // namespace

std::string picture_of_dsm(const Json& result) {
    constexpr ApplicationRow rows[] = {{quantities::application_page, "page time", ", mean of the processes"},
                                       {quantities::application_handler, "handler", ", mean of the processes"},
                                       {quantities::application_faults, "page faults", ", mean of the processes"}};
    const Json& parameters = result.at("parameters");
    DsmPicture picture(result);
    for (const int mtu : parameters.at("mtu")) {
        add_pages(&picture, mtu);
        add_synchronisation(&picture, mtu);
    }
    const int mtu = parameters.at("mtu").at(0);
    for (const std::string size : parameters.at("sizes")) {
        add_application_row(&picture, {quantities::application, "time", ""}, size, mtu);
    }
    const std::string first_size = parameters.at("sizes").at(0);
    picture.add_shares(first_size, mtu);
    for (const ApplicationRow& row : rows) {
        add_application_row(&picture, row, first_size, mtu);
    }
    return picture.finish();
}

}  // namespace syncline::bench
