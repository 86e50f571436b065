// A chart as SVG.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/axis_scale.h"

namespace haplospin {

struct ChartFrame;

// A heat map: rectangles of equal size, darker for higher values.
struct HeatMap {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  size_t columns = 0, rows = 0;
  std::vector<double> values;   // [rows, columns], the first row at y_low; NaN: nothing is drawn
  bool has_log_colors = false;  // shades by log(1 + value), for counts
  std::string unit;             // unit of the values, shown with each: "sites"
};

enum class LineMarkers { kNone, kCircles };

// Declare the axes, add series (those added first are drawn below later ones), then call Svg(). Series with the same
// name share a color and one entry of the legend; a series with an empty name is gray and has no entry. Points that are
// not finite, or not above 0 on a logarithmic axis, are omitted, and a line or band is interrupted there; points beyond
// the end of an axis are drawn at that end. The spans of one call must have the same length, which is checked. The
// colors are readable on light and dark backgrounds; text and axes take the color of the surrounding text.
class Chart {
 public:
  Chart(std::string title, ChartAxis x, ChartAxis y);

  void AddLine(const std::string& name, std::span<const double> x, std::span<const double> y,
               LineMarkers markers = LineMarkers::kCircles);
  void AddPoints(const std::string& name, std::span<const double> x, std::span<const double> y);

  // Draws an area that is filled between `low` and `high`.
  void AddBand(const std::string& name, std::span<const double> x, std::span<const double> low,
               std::span<const double> high);

  // Draws a dot for each label of the y axis; the first label is at the top.
  void AddDots(const std::string& name, std::span<const double> values);

  void AddHeatMap(HeatMap map);

  // A dashed gray line between two points.
  void AddReferenceLine(double from_x, double from_y, double to_x, double to_y);

  const std::string& title() const { return title_; }

  // An <svg> element for a page.
  std::string Svg() const;

  // Returns the chart as an SVG file.
  std::string SvgDocument() const;

 private:
  enum class Kind { kLine, kLineWithMarkers, kPoints, kBand, kReferenceLine };
  struct Mark {
    Kind kind;
    std::string name;
    std::vector<double> x, y;
    std::vector<double> low;  // the lower edge of a band, whose upper edge is y
  };

  void Add(Mark mark);
  std::vector<std::string> Names() const;
  std::vector<double> Values(bool along_x) const;
  ChartFrame MakeFrame() const;
  std::string Element(const char* attributes) const;
  std::string DrawMarks(const ChartFrame& frame) const;
  std::string DrawHeatMap(const HeatMap& map, const ChartFrame& frame) const;
  std::string DrawAxes(const ChartFrame& frame) const;
  std::string DrawLegend(const ChartFrame& frame) const;

  std::string title_;
  ChartAxis x_, y_;
  std::vector<HeatMap> maps_;  // behind the marks
  std::vector<Mark> marks_;
};

}  // namespace haplospin
