// A page of results as one HTML file without scripts and without external files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/provenance.h"
#include "report/chart.h"

namespace haplospin {

struct PageTable {
  std::vector<std::string> headings;  // may be empty
  std::vector<std::vector<std::string>> rows;
  size_t text_columns = 1;  // the first ones; the others are numbers, aligned to the right
  std::string summary;      // text under which the table is collapsed; empty: it is shown
};

enum class PageTone { kPlain, kNote, kGood, kBad };

// Parts appear in the order in which they are added; consecutive charts are next to each other if there is space. All
// text is plain text and is escaped here.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void AddSection(const std::string& heading);
  void AddParagraph(const std::string& text, PageTone tone = PageTone::kPlain);
  // Titles and their values.
  void AddFacts(const std::vector<std::pair<std::string, std::string>>& facts);
  // Points and a note on each, which may be empty.
  void AddList(const std::vector<std::pair<std::string, std::string>>& points);
  void AddTable(const PageTable& table);
  void AddChart(const Chart& chart);

  // Names a model at the end of the page.
  void AddModel(const std::string& text);

  // The whole file; it ends with the version, the date and the command of `provenance`, and the models.
  std::string Html(const Provenance& provenance) const;

 private:
  std::string title_;
  std::string body_;
  std::string models_;
};

}  // namespace haplospin
