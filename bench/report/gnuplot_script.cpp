// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/gnuplot_script.h"

#include "bench/report/figure_layout.h"
#include "bench/report/gnuplot_series.h"
#include "bench/report/text.h"

namespace syncline::bench {

namespace {

constexpr const char* ink = "#24292f";
constexpr const char* faint_ink = "#57606a";
constexpr const char* grid_colour = "#e4e7eb";
constexpr const char* band_colour = "#f6f8fa";
constexpr const char* font = "sans-serif";
constexpr double tick_width = 60, tick_height = 22;  // in pixels, at least

// As gnuplot reads it: in single quotes nothing but a quote has a meaning, and two stand for one.
std::string in_quotes(const std::string& text) {
    std::string safe = "'";
    for (const char letter : text) {
        const bool is_sign = static_cast<unsigned char>(letter) >= ' ';
        safe += letter == '\'' ? "''" : std::string(1, is_sign ? letter : ' ');
    }
    return safe + "'";
}

// The name of a tick is a format for its number, too.
std::string tick_in_quotes(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        safe += letter == '%' ? "%%" : std::string(1, letter);
    }
    return in_quotes(safe);
}

std::vector<double> values_of(const Panel& panel) {
    std::vector<double> values, sums(panel.rows.size());
    for (const FigureSeries& series : panel.series) {
        for (const Sample& sample : series.samples) {
            if (panel.kind == Panel::Kind::kStacks) {
                values.push_back(sums.at(static_cast<size_t>(sample.at)) += sample.value);
            } else {
                values.insert(values.end(), {sample.value, sample.least, sample.most});
            }
        }
    }
    return values;
}

std::vector<double> places_of(const Panel& panel) {
    std::vector<double> places;
    for (const FigureSeries& series : panel.series) {
        for (const Sample& sample : series.samples) {
            places.push_back(sample.at);
        }
    }
    return places;
}

class Script {
  public:
    explicit Script(const FigureLayout& layout) : layout_(layout) {}

    // gnuplot shows words with the next plot.
    void draw(const PlacedPanel& placed);
    void write_foot();
    std::string text() const { return fmt::to_string(text_); }

  private:
    struct Words {
        const char* colour = ink;
        double size = text_size;
        bool bold = false;
    };
    void write(const Place& place, const std::string& words, const Words& how);
    void write_head(const PlacedPanel& placed);
    void write_legend(const PlacedPanel& placed);
    void set_frame(const PlacedPanel& placed);
    void set_axis(char name, const Axis& axis, const AxisRange& range);
    void set_rows(const Panel& panel);

    // gnuplot counts in parts of the picture, from below.
    double x_of(double left) const { return left / layout_.width; }
    double y_of(double top) const { return 1 - top / layout_.height; }

    const FigureLayout& layout_;
    Text text_;
};

void Script::write(const Place& place, const std::string& words, const Words& how) {
    add(&text_, "set label {} at screen {:.5f},{:.5f} left font '{}{},{}' textcolor rgb '{}'\n", in_quotes(words),
        x_of(place.left), y_of(place.top), font, how.bold ? " Bold" : "", how.size, how.colour);
}

void Script::write_head(const PlacedPanel& placed) {
    Place next = {placed.left + figure_margin, placed.top + figure_margin + title_line / 2};
    for (const std::string& line : placed.title) {
        write(next, line, {.size = title_size, .bold = true});
        next.top += title_line;
    }
    for (const std::string& line : placed.subtitle) {
        write(next, line, {.colour = faint_ink});
        next.top += text_line;
    }
}

void Script::write_legend(const PlacedPanel& placed) {
    for (size_t i = 0; i < placed.legend.size(); i++) {
        const auto& [left, top] = placed.legend[i];
        const FigureSeries& series = placed.panel->series[i];
        const std::string middle = fmt::format("screen {:.5f},{:.5f}", x_of(left + legend_sample / 2), y_of(top));
        if (placed.panel->kind == Panel::Kind::kStacks) {
            add(&text_,
                "set object rectangle center {} size screen {:.5f},{:.5f} fillcolor rgb '{}' fillstyle solid "
                "noborder\n",
                middle, 10 / layout_.width, 10 / layout_.height, series.look.colour);
        } else {
            add(&text_, "set label '' at {} point linecolor rgb '{}' pointtype {} pointsize {}\n", middle,
                series.look.colour, series.look.point, point_size);
        }
        if (placed.panel->kind == Panel::Kind::kLines) {
            add(&text_, "set arrow from screen {0:.5f},{2:.5f} to screen {1:.5f},{2:.5f} nohead linecolor rgb '{3}' ",
                x_of(left), x_of(left + legend_sample), y_of(top), series.look.colour);
            add(&text_, "linewidth {} dashtype {}\n", line_width, series.look.dashes);
        }
        write({left + legend_sample + 6, top}, series.label, {});
    }
}

void Script::set_frame(const PlacedPanel& placed) {
    add(&text_, "set size {:.5f},1\nset origin {:.5f},0\n", placed.width / layout_.width, x_of(placed.left));
    add(&text_, "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\nunset key\n", y_of(placed.plot_top),
        y_of(placed.plot_bottom));
    add(&text_, "set border 3 linecolor rgb '{}'\nset tics nomirror textcolor rgb '{}'\n", faint_ink, ink);
    add(&text_, "set grid back linetype 1 linecolor rgb '{}'\n", grid_colour);
}

void Script::set_axis(char name, const Axis& axis, const AxisRange& range) {
    add(&text_, "set {0}label {1} textcolor rgb '{2}'\nset {0}range [{3:.9g}:{4:.9g}]\n", name, in_quotes(axis.title),
        ink, range.least, range.most);
    if (range.is_log) {
        add(&text_, "set logscale {} 10\n", name);
    }
    const bool has_unit = range.is_log && !axis.unit.empty();
    add(&text_, "set format {} {}\n", name, in_quotes(has_unit ? "%.0s %c" + axis.unit : "%.10g"));
    for (size_t i = 0; i < range.ticks.size(); i++) {
        const double tick = range.ticks[i];
        add(&text_, "set {}tics {}({}{:.9g})\n", name, i == 0 ? "" : "add ", tick == 0 ? "'0' " : "",
            range.place_of(tick));
    }
}

// Rows go down; every second one has a band behind it, and each its note beside it.
void Script::set_rows(const Panel& panel) {
    add(&text_, "set yrange [{}:0]\nset ytics scale 0\n", panel.rows.size());
    for (size_t i = 0; i < panel.rows.size(); i++) {
        add(&text_, "set ytics {}({} {}.5)\n", i == 0 ? "" : "add ", tick_in_quotes(panel.rows[i]), i);
        if (i % 2 == 0) {
            add(&text_, "set object rectangle from graph 0, first {} to graph 1, first {} behind ", i, i + 1);
            add(&text_, "fillcolor rgb '{}' fillstyle solid noborder\n", band_colour);
        }
    }
    for (size_t i = 0; i < panel.notes.size(); i++) {
        add(&text_,
            "set rmargin 8\nset label {} at graph 1, first {}.5 left offset character 0.7,0 textcolor rgb '{}'\n",
            in_quotes(panel.notes[i].words), i, panel.notes[i].colour);
    }
}

void Script::draw(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    const bool is_lines = panel.kind == Panel::Kind::kLines;
    const auto ticks_most = static_cast<size_t>(is_lines ? (placed.plot_bottom - placed.plot_top) / tick_height
                                                         : placed.width / 2 / tick_width);
    const AxisRange value = range_of_values(panel.value, values_of(panel), ticks_most);
    const AxisRange at = range_of_places(panel.at, places_of(panel), static_cast<size_t>(placed.width / tick_width));
    set_frame(placed);
    write_head(placed);
    write_legend(placed);
    set_axis(is_lines ? 'y' : 'x', panel.value, value);
    is_lines ? set_axis('x', panel.at, at) : set_rows(panel);
    add(&text_, "set xlabel offset character 0,0.4\n");
    add(&text_, "{}{}reset\n", series_data(panel, at, value), plot_command(panel, layout_.width));
}

void Script::write_foot() {
    for (size_t i = 0; i < layout_.foot.size(); i++) {
        write({figure_margin, layout_.foot_top + text_line * static_cast<double>(i)}, layout_.foot[i],
              {.colour = faint_ink, .size = foot_size});
    }
}

}  // namespace

std::string terminal_command(PictureFormat format, double width, double height) {
    const std::string look = fmt::format("noenhanced font '{},{}' background '#ffffff'", font, text_size);
    switch (format) {
        case PictureFormat::kPng:
            return fmt::format("set terminal pngcairo size {:.0f},{:.0f} fontscale 2 linewidth 2 pointscale 2 {}\n",
                               2 * width, 2 * height, look);
        case PictureFormat::kPdf:
            return fmt::format("set terminal pdfcairo size {:.3f}in,{:.3f}in {}\n", width / 96, height / 96, look);
        default:
            return fmt::format("set terminal svg size {:.0f},{:.0f} {}\n", width, height, look);
    }
}

std::string gnuplot_script(const Figure& figure, PictureFormat format) {
    const FigureLayout layout = layout_of(figure);
    Script script(layout);
    script.write_foot();
    for (const PlacedPanel& placed : layout.panels) {
        script.draw(placed);
    }
    return terminal_command(format, layout.width, layout.height) + "set encoding utf8\nset micro\nset multiplot\n" +
           script.text() + "unset multiplot\n";
}

}  // namespace syncline::bench
