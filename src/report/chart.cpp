#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/errors.h"
#include "report/axis_scale.h"
#include "report/markup.h"

namespace haplospin {

// The layout of a chart. The plot is the rectangle from (left, top) to (right, bottom), in pixels.
struct ChartFrame {
  AxisScale x, y;
  double left, right, top, bottom;
  std::vector<std::string> names;               // entries of the legend, in its order
  std::vector<std::pair<double, double>> keys;  // the position at which each entry begins

  double X(double value) const { return left + x.Place(value) * (right - left); }
  double Y(double value) const { return bottom - y.Place(value) * (bottom - top); }
  bool Shows(double x_value, double y_value) const { return x.Shows(x_value) && y.Shows(y_value); }
  const char* Color(const std::string& name) const;
};

namespace {

// Sizes in pixels.
constexpr double kWidth = 560, kPlotHeight = 300;
constexpr double kLeft = 64, kRight = 16, kTitleHeight = 28, kLegendLine = 18, kBottom = 48;
constexpr double kLetterWidth = 6.6;   // mean of a 12 px sans-serif
constexpr double kTitleLetters = 1.3;  // width of its letters, relative to those of other text
constexpr double kKeyWidth = 34;       // a legend's sample of color and the gaps about it
constexpr double kLabelLine = 18;      // distance of two labels of the y axis
constexpr double kLabelMargin = 28;    // margin on both sides of a label

constexpr const char* kNeutralColor = "#8a8a8a";
constexpr const char* kFirstColor = "#4285d0";
constexpr const char* kColors[] = {kFirstColor, "#e07b2e", "#35a06a", "#c9568f",
                                   "#8b73d8",   "#b0932b", "#2aa3b8", "#d8564f"};

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }  // a character of UTF-8

double TextWidth(const std::string& text) {
  return kLetterWidth * static_cast<double>(std::ranges::count_if(text, BeginsCharacter));
}

// Text that is too wide ends with an ellipsis, and browsers show the whole of it under the pointer.
std::string Shortened(const std::string& text, double width) {
  if (TextWidth(text) <= width) return EscapeMarkup(text);
  const double max_characters = std::max(1.0, std::floor(width / kLetterWidth) - 1);
  size_t end = 0;
  for (double characters = 0; end < text.size(); ++end) {
    if (BeginsCharacter(text[end]) && ++characters > max_characters) break;
  }
  return fmt::format("<title>{}</title>{}\u2026", EscapeMarkup(text), EscapeMarkup(text.substr(0, end)));
}

std::string Text(double x, double y, const char* anchor, const std::string& text, double width = kWidth) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     Shortened(text, width));
}

// Draws the title of the x axis below the middle of the plot, but within the chart.
std::string AxisTitle(const ChartFrame& frame, const std::string& title) {
  const double half = std::min(TextWidth(title), kWidth) / 2;
  const double x = std::clamp((frame.left + frame.right) / 2, half, kWidth - half);
  return Text(x, frame.bottom + 38, "middle", title);
}

std::string Point(const ChartFrame& frame, double x, double y) {
  return fmt::format("{:.1f} {:.1f}", frame.X(x), frame.Y(y));
}

// Path data ("d" of <path>); empty if nothing can be shown.
std::string LinePath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y) {
  std::string path;
  bool is_open = false;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool is_shown = frame.Shows(x[i], y[i]);
    if (is_shown) path += (is_open ? "L" : "M") + Point(frame, x[i], y[i]);
    is_open = is_shown;
  }
  return path;
}

// Strokes of length 0, which are drawn as circles with round line caps.
std::string DotsPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y) {
  std::string path;
  for (size_t i = 0; i < x.size(); ++i) {
    if (frame.Shows(x[i], y[i])) path += "M" + Point(frame, x[i], y[i]) + "h0";
  }
  return path;
}

// The path goes along the upper edge and back along the lower edge, between interruptions.
std::string BandPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> low,
                     std::span<const double> high) {
  std::string path;
  std::vector<std::string> back;
  const auto close = [&] {
    for (; !back.empty(); back.pop_back()) path += "L" + back.back() + (back.size() == 1 ? "z" : "");
  };
  for (size_t i = 0; i < x.size(); ++i) {
    if (!frame.Shows(x[i], low[i]) || !frame.y.Shows(high[i])) {
      close();
      continue;
    }
    path += (back.empty() ? "M" : "L") + Point(frame, x[i], high[i]);
    back.push_back(Point(frame, x[i], low[i]));
  }
  close();
  return path;
}

}  // namespace

const char* ChartFrame::Color(const std::string& name) const {
  const auto entry = std::ranges::find(names, name);
  if (entry == names.end()) return kNeutralColor;
  return kColors[static_cast<size_t>(entry - names.begin()) % std::size(kColors)];
}

Chart::Chart(std::string title, ChartAxis x, ChartAxis y)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

void Chart::Add(Mark mark) {
  HS_ASSERT(mark.x.size() == mark.y.size());
  HS_ASSERT(mark.kind != Kind::kBand || mark.low.size() == mark.y.size());
  marks_.push_back(std::move(mark));
}

void Chart::AddLine(const std::string& name, std::span<const double> x, std::span<const double> y,
                    LineMarkers markers) {
  Add({markers == LineMarkers::kNone ? Kind::kLine : Kind::kLineWithMarkers,
       name,
       {x.begin(), x.end()},
       {y.begin(), y.end()},
       {}});
}

void Chart::AddPoints(const std::string& name, std::span<const double> x, std::span<const double> y) {
  Add({Kind::kPoints, name, {x.begin(), x.end()}, {y.begin(), y.end()}, {}});
}

void Chart::AddBand(const std::string& name, std::span<const double> x, std::span<const double> low,
                    std::span<const double> high) {
  Add({Kind::kBand, name, {x.begin(), x.end()}, {high.begin(), high.end()}, {low.begin(), low.end()}});
}

void Chart::AddDots(const std::string& name, std::span<const double> values) {
  HS_ASSERT(values.size() == y_.labels.size());
  std::vector<double> y(values.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(y.size() - 1 - i);
  AddPoints(name, values, y);
}

void Chart::AddReferenceLine(double from_x, double from_y, double to_x, double to_y) {
  Add({Kind::kReferenceLine, "", {from_x, to_x}, {from_y, to_y}, {}});
}

void Chart::AddHeatMap(HeatMap map) {
  HS_ASSERT(map.values.size() == map.rows * map.columns);
  maps_.push_back(std::move(map));
}

std::vector<std::string> Chart::Names() const {
  std::vector<std::string> names;
  for (const Mark& mark : marks_) {
    if (!mark.name.empty() && std::ranges::find(names, mark.name) == names.end()) names.push_back(mark.name);
  }
  return names;
}

// Returns all values that an axis has to show.
std::vector<double> Chart::Values(bool along_x) const {
  std::vector<double> values;
  for (const HeatMap& map : maps_) {
    values.push_back(along_x ? map.x_low : map.y_low);
    values.push_back(along_x ? map.x_high : map.y_high);
  }
  for (const Mark& mark : marks_) {
    if (mark.kind == Kind::kReferenceLine) continue;
    const auto& along = along_x ? mark.x : mark.y;
    values.insert(values.end(), along.begin(), along.end());
    if (along_x) continue;
    values.insert(values.end(), mark.low.begin(), mark.low.end());
  }
  return values;
}

ChartFrame Chart::MakeFrame() const {
  double left = kLeft;
  for (const std::string& label : y_.labels) left = std::max(left, TextWidth(label) + kLabelMargin);
  ChartFrame frame{AxisScale(x_, Values(true)),
                   AxisScale(y_, Values(false)),
                   std::min(left, kWidth / 2),
                   kWidth - kRight,
                   kTitleHeight,
                   0,
                   Names(),
                   {}};
  double x = frame.left;
  for (const std::string& name : frame.names) {
    const double width = kKeyWidth + TextWidth(name);
    if (x > frame.left && x + width > kWidth - kRight) {
      x = frame.left;
      frame.top += kLegendLine;
    }
    frame.keys.emplace_back(x, frame.top + kLegendLine / 2);
    x += width;
  }
  if (!frame.names.empty()) frame.top += kLegendLine + 4;
  frame.bottom = frame.top + std::max(kPlotHeight, kLabelLine * static_cast<double>(y_.labels.size()));
  return frame;
}

std::string Chart::DrawLegend(const ChartFrame& frame) const {
  std::string svg;
  for (size_t i = 0; i < frame.names.size(); ++i) {
    const auto [x, y] = frame.keys[i];
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h16\" stroke=\"{}\" stroke-width=\"5\"/>", x, y,
                       frame.Color(frame.names[i])) +
           Text(x + 22, y + 4, "start", frame.names[i], kWidth - x - 22);
  }
  return svg;
}

std::string Chart::DrawAxes(const ChartFrame& frame) const {
  const double left = frame.left, right = frame.right, top = frame.top, bottom = frame.bottom;
  std::string grid, text;
  for (const Tick& tick : frame.x.ticks()) {
    const double x = frame.X(tick.value);
    grid += tick.label.empty() ? fmt::format("M{:.1f} {:.1f}v4", x, bottom)
                               : fmt::format("M{:.1f} {:.1f}V{:.1f}", x, top, bottom);
    if (!tick.label.empty()) text += Text(x, bottom + 16, "middle", tick.label);
  }
  for (const Tick& tick : frame.y.ticks()) {
    const double y = frame.Y(tick.value);
    grid += tick.label.empty() ? fmt::format("M{:.1f} {:.1f}h-4", left, y)
                               : fmt::format("M{:.1f} {:.1f}H{:.1f}", left, y, right);
    if (!tick.label.empty()) text += Text(left - 6, y + 4, "end", tick.label, left - kLabelMargin);
  }
  return fmt::format("<path d=\"{}\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/>\n", grid) +
         fmt::format(
             "<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" stroke=\"currentColor\" stroke-opacity=\"0.6\" "
             "fill=\"none\"/>\n",
             left, top, bottom, right) +
         text + AxisTitle(frame, x_.title) +
         fmt::format("<text transform=\"translate(14,{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + bottom) / 2, EscapeMarkup(y_.title));
}

std::string Chart::DrawHeatMap(const HeatMap& map, const ChartFrame& frame) const {
  const auto shade = [&](double value) { return map.has_log_colors ? std::log1p(value) : value; };
  double lowest = INFINITY, highest = -INFINITY;
  for (const double value : map.values) {
    if (!std::isfinite(value)) continue;
    lowest = std::min(lowest, shade(value));
    highest = std::max(highest, shade(value));
  }
  const auto edge = [](double low, double high, size_t i, size_t n) {
    return low + (high - low) * static_cast<double>(i) / static_cast<double>(n);
  };
  std::string svg;
  for (size_t i = 0; i < map.values.size(); ++i) {
    const double value = map.values[i];
    if (!std::isfinite(value)) continue;
    const size_t row = i / map.columns, column = i % map.columns;
    const double left = frame.X(edge(map.x_low, map.x_high, column, map.columns));
    const double right = frame.X(edge(map.x_low, map.x_high, column + 1, map.columns));
    const double bottom = frame.Y(edge(map.y_low, map.y_high, row, map.rows));
    const double top = frame.Y(edge(map.y_low, map.y_high, row + 1, map.rows));
    const double share = highest > lowest ? (shade(value) - lowest) / (highest - lowest) : 1;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.2f}\"><title>{:.6g} "
        "{}</title></rect>\n",
        left, top, right - left, bottom - top, 0.12 + 0.88 * share, value, EscapeMarkup(map.unit));
  }
  return fmt::format("<g fill=\"{}\" stroke=\"none\">\n{}</g>\n", kFirstColor, svg);
}

std::string Chart::DrawMarks(const ChartFrame& frame) const {
  std::string svg;
  for (const Mark& mark : marks_) {
    const auto path = [&](const std::string& data, const char* style) {
      if (!data.empty()) svg += fmt::format("<path d=\"{}\" color=\"{}\" {}/>\n", data, frame.Color(mark.name), style);
    };
    const auto lines = [&] { return LinePath(frame, mark.x, mark.y); };
    const auto dots = [&] { return DotsPath(frame, mark.x, mark.y); };
    switch (mark.kind) {
      case Kind::kLine:
        path(lines(), "stroke=\"currentColor\" stroke-width=\"2\"");
        break;
      case Kind::kLineWithMarkers:
        path(lines(), "stroke=\"currentColor\" stroke-width=\"2\"");
        path(dots(), "stroke=\"currentColor\" stroke-width=\"6\" stroke-linecap=\"round\"");
        break;
      case Kind::kPoints:
        path(dots(), "stroke=\"currentColor\" stroke-width=\"5\" stroke-linecap=\"round\" stroke-opacity=\"0.7\"");
        break;
      case Kind::kReferenceLine:
        path(lines(), "stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"");
        break;
      case Kind::kBand:
        path(BandPath(frame, mark.x, mark.low, mark.y), "fill=\"currentColor\" fill-opacity=\"0.25\"");
        break;
    }
  }
  return svg;
}

std::string Chart::Element(const char* attributes) const {
  const ChartFrame frame = MakeFrame();
  const double height = frame.bottom + kBottom;
  std::string svg = fmt::format(
      "<svg{0} width=\"{1:.0f}\" height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-label=\"{3}\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"none\">\n<g fill=\"currentColor\">"
      "<text x=\"{4:.0f}\" y=\"18\" font-size=\"14\" font-weight=\"600\">{5}</text>\n",
      attributes, kWidth, height, EscapeMarkup(title_), kLeft, Shortened(title_, (kWidth - kLeft) / kTitleLetters));
  svg += DrawLegend(frame) + DrawAxes(frame) + "</g>\n";
  for (const HeatMap& map : maps_) svg += DrawHeatMap(map, frame);
  svg += DrawMarks(frame);
  return svg + "</svg>\n";
}

std::string Chart::Svg() const { return Element(""); }

std::string Chart::SvgDocument() const { return Element(" xmlns=\"http://www.w3.org/2000/svg\""); }

}  // namespace haplospin
