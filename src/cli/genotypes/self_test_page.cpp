#include "cli/genotypes/self_test_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/counted.h"
#include "report/chart.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kMaxPoints = 1000;  // of a series, so that the page stays small
constexpr size_t kMaxNamed = 5;      // people with a color of their own
constexpr size_t kMaxRows = 500;

std::string Number(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }

std::string Short(double value) { return fmt::format("{:.3f}", value); }

std::string BinTitle(size_t bin) {
  return fmt::format("MAF {:.4g} to {:.4g} %", 100 * kSelfTestBins[bin][0], 100 * kSelfTestBins[bin][1]);
}

// The people, those with the lowest r2 first.
class Ranking {
 public:
  explicit Ranking(const SelfTestFindings& findings) : findings_(findings), order_(findings.names.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    const auto r2 = [&](size_t s) { return std::isnan(findings.R2(s)) ? 2 : findings.R2(s); };
    std::ranges::stable_sort(order_, {}, r2);
  }

  const std::vector<size_t>& order() const { return order_; }

  // Adds a point for each person, or for as many as can be told apart. `x` takes a rank and a person, `y` a person.
  template <typename X, typename Y>
  void AddPoints(const std::string& name, const X& x, const Y& y, Chart& chart) const {
    const size_t step = std::max<size_t>(1, (order_.size() + kMaxPoints - 1) / kMaxPoints);
    std::vector<double> xs, ys;
    for (size_t rank = 0; rank < order_.size(); rank += step) {
      xs.push_back(x(rank, order_[rank]));
      ys.push_back(y(order_[rank]));
    }
    chart.AddPoints(name, xs, ys);
  }

  // Adds those that are far from the others, the first of them by their names.
  template <typename X, typename Y>
  void AddNamed(const std::vector<size_t>& people, const X& x, const Y& y, Chart& chart) const {
    size_t count = 0;
    for (size_t rank = 0; rank < order_.size(); ++rank) {
      const size_t s = order_[rank];
      if (std::ranges::find(people, s) == people.end()) continue;
      const std::string name = ++count <= kMaxNamed ? findings_.names[s] : "others far from the median";
      const double xs[] = {x(rank, s)}, ys[] = {y(s)};
      chart.AddPoints(name, xs, ys);
    }
  }

 private:
  const SelfTestFindings& findings_;
  std::vector<size_t> order_;
};

double Rank(size_t rank, size_t /*person*/) { return static_cast<double>(rank + 1); }

const ChartAxis kRankAxis{.title = "people, the least accurate first"};

Chart PeopleChart(const SelfTestFindings& findings, const Ranking& ranking) {
  Chart chart("r2 of each person, all markers", kRankAxis, {.title = "estimated r2", .high = 1});
  const auto r2 = [&](size_t s) { return findings.R2(s); };
  ranking.AddPoints("people", Rank, r2, chart);
  ranking.AddNamed(findings.low_r2, Rank, r2, chart);
  const auto last = static_cast<double>(findings.names.size());
  chart.AddReferenceLine(1, findings.median_r2, last, findings.median_r2);
  return chart;
}

Chart FrequencyChart(const SelfTestFindings& findings, const Ranking& ranking) {
  Chart chart("r2 of each person by allele frequency", kRankAxis, {.title = "estimated r2", .high = 1});
  for (size_t bin = kSelfTestBins.size() - 1; bin > 0; --bin) {
    ranking.AddPoints(
        BinTitle(bin), Rank, [&](size_t s) { return findings.qualities[s][bin].EstimatedR2(); }, chart);
  }
  return chart;
}

// A measure of each person against r2; `far` are named.
Chart ErrorChart(const Ranking& ranking, const SelfTestFindings& findings, const std::string& title,
                 const std::string& measure, double (SelfTestFindings::*value)(size_t) const,
                 const std::vector<size_t>& far) {
  Chart chart(title, {.title = "estimated r2", .high = 1}, {.title = measure, .low = 0});
  const auto r2 = [&](size_t /*rank*/, size_t s) { return findings.R2(s); };
  const auto y = [&](size_t s) { return (findings.*value)(s); };
  ranking.AddPoints("people", r2, y, chart);
  ranking.AddNamed(far, r2, y, chart);
  return chart;
}

void AddOutliers(const SelfTestFindings& findings, Page& page) {
  std::vector<std::pair<std::string, std::string>> points;
  for (const size_t s : findings.low_r2) {
    points.emplace_back(fmt::format("{}: r2 {}, far below the others", findings.names[s], Short(findings.R2(s))),
                        "look for missing genotypes, contamination, or a population that the panel lacks");
  }
  for (const size_t s : findings.high_errors) {
    points.emplace_back(
        fmt::format("{}: error ratio {}, far above the others", findings.names[s], Short(findings.ErrorRatio(s))),
        "what is known of this person differs from what is imputed: wrong genotypes, or two people's");
  }
  for (const size_t s : findings.high_mismatch) {
    points.emplace_back(
        fmt::format("{}: mismatch {}, far above the others", findings.names[s], Short(findings.Mismatch(s))),
        "the reads that were hidden differ from what is imputed: contamination, or a population that the panel lacks");
  }
  if (points.empty()) {
    const bool are_compared = findings.names.size() >= kMinComparedPeople;
    page.AddParagraph(are_compared ? "No person is far from the others." : "Too few people to compare them.",
                      are_compared ? PageTone::kGood : PageTone::kNote);
    return;
  }
  if (points.size() > kMaxRows) points.resize(kMaxRows);
  page.AddList(points);
}

void AddTable(const SelfTestFindings& findings, const Ranking& ranking, Page& page) {
  const size_t people = ranking.order().size(), rows = std::min(people, kMaxRows);
  PageTable table{.headings = {"sample", "imputed", "r2"}, .rows = {}, .summary = ""};
  table.summary = rows == people ? fmt::format("All {}, the least accurate first", CountedInGroups(people, "sample"))
                                 : fmt::format("The {} least accurate of {} samples (--self-test writes all)", rows,
                                               GroupDigits(people));
  for (size_t bin = 1; bin < kSelfTestBins.size(); ++bin) table.headings.push_back("r2, " + BinTitle(bin));
  table.headings.insert(table.headings.end(),
                        {"known", "their r2", "concordance", "error ratio", "hidden", "mismatch"});
  for (size_t rank = 0; rank < rows; ++rank) {
    const size_t s = ranking.order()[rank];
    const SampleQuality& all = findings.qualities[s][0];
    std::vector<std::string> row{findings.names[s], GroupDigits(all.num_imputed()), Number(all.EstimatedR2())};
    for (size_t bin = 1; bin < kSelfTestBins.size(); ++bin) {
      row.push_back(Number(findings.qualities[s][bin].EstimatedR2()));
    }
    row.insert(row.end(), {GroupDigits(all.num_typed()), Number(all.TypedR2()), Number(all.TypedConcordance()),
                           Number(all.ErrorRatio()), GroupDigits(all.num_held_out()), Number(all.Mismatch())});
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
}

}  // namespace

std::string SelfTestPage(const SelfTestFindings& findings,
                         const std::vector<std::pair<std::string, std::string>>& files, const Provenance& provenance) {
  Page page("Imputation of each person");
  std::vector<std::pair<std::string, std::string>> facts = files;
  facts.emplace_back("samples", GroupDigits(findings.names.size()));
  if (!std::isnan(findings.median_r2)) {
    facts.emplace_back("estimated r2",
                       fmt::format("median {}, lowest {}", Short(findings.median_r2), Short(findings.lowest_r2)));
  }
  page.AddFacts(facts);
  page.AddParagraph(
      "r2 is the squared correlation of a person's imputed dosages with the true genotypes, over markers, as the "
      "probabilities of the genotypes tell it. The error ratio compares what is known with what is imputed in its "
      "place: it is much the same for all people of a clean study. The mismatch is the share of hidden reads that are "
      "no likelier by what is imputed than by the frequencies of the alleles.");
  page.AddSection("People far from the others");
  AddOutliers(findings, page);
  const Ranking ranking(findings);
  page.AddSection("Accuracy");
  page.AddChart(PeopleChart(findings, ranking));
  page.AddChart(FrequencyChart(findings, ranking));
  if (!std::isnan(findings.median_error_ratio)) {
    page.AddChart(ErrorChart(ranking, findings, "errors at what is known, relative to what is expected", "error ratio",
                             &SelfTestFindings::ErrorRatio, findings.high_errors));
  }
  if (!std::isnan(findings.median_mismatch)) {
    page.AddChart(ErrorChart(ranking, findings, "hidden reads that differ from what is imputed", "mismatch",
                             &SelfTestFindings::Mismatch, findings.high_mismatch));
  }
  AddTable(findings, ranking, page);
  return page.Html(provenance);
}

}  // namespace haplospin
