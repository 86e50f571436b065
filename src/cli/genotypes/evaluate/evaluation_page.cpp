// The page of `haplospin evaluate --report`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/genotypes/evaluate/evaluation_report.h"
#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr double kMinMaf = 0.005;      // the r2 of rarer sites means little
constexpr double kMinInBin = 10;       // values in a bin of a calibration curve
constexpr size_t kCells = 20;          // rows and columns of a heat map
constexpr size_t kWindows = 60;        // windows of a contig
constexpr size_t kQuantiles = 100;     // points of the curve of the samples' r2
constexpr size_t kTableSamples = 500;  // rows of the table of samples

ChartAxis ShareAxis(const std::string& title) { return {.title = title, .low = 0, .high = 1}; }

void AddMeasureHeadings(const EvaluationReport& report, const std::string& second, PageTable& table) {
  for (const Evaluation& evaluation : report.imputed) {
    table.headings.push_back(evaluation.name + ": r2");
    table.headings.push_back(second);
    table.headings.push_back("non-ref concordance");
  }
}

void AddMeasures(std::initializer_list<double> values, std::vector<std::string>& row) {
  for (const double value : values) row.push_back(Share(value));
}

PageTable MakeTable(std::vector<std::vector<std::string>> rows) {
  PageTable table{.headings = std::move(rows[0]), .rows = {}, .summary = ""};
  table.rows.assign(std::make_move_iterator(rows.begin() + 1), std::make_move_iterator(rows.end()));
  return table;
}

void AddSummary(const EvaluationReport& report, Page& page) {
  std::vector<std::pair<std::string, std::string>> facts{{"truth", report.truth}};
  for (size_t i = 0; i < report.paths.size(); ++i) facts.emplace_back(report.imputed[i].name, report.paths[i]);
  if (!report.reference.empty()) facts.emplace_back("reference", report.reference);
  if (!report.target.empty()) facts.emplace_back("typed", report.target);
  facts.emplace_back("scored", ScoredText(report));
  facts.emplace_back("allele frequencies of", FrequencySource(report));
  page.AddFacts(facts);
  page.AddTable(MakeTable(SummaryRows(report)));
}

// The position of a bin on a logarithmic axis, in percent.
double Middle(const MafGroup& group) {
  return 100 * (group.from > 0 ? std::sqrt(group.from * group.to) : group.to / 2);
}

Chart FrequencyChart(const EvaluationReport& report, const std::string& title, double GroupAccuracy::*measure) {
  Chart chart(title, {.title = "minor-allele frequency, %", .is_log = true}, ShareAxis("r2"));
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> x, y;
    for (size_t g = 0; g < kNumMafBins; ++g) {
      if (evaluation.groups[g].sites == 0) continue;
      x.push_back(Middle(kMafGroups[g]));
      y.push_back(evaluation.groups[g].*measure);
    }
    chart.AddLine(evaluation.name, x, y);
  }
  return chart;
}

void AddFrequencies(const EvaluationReport& report, Page& page) {
  page.AddSection("Accuracy by allele frequency");
  page.AddChart(FrequencyChart(report, "r2, genotypes of a bin's sites pooled", &GroupAccuracy::r2));
  page.AddChart(FrequencyChart(report, "mean of the sites' own r2", &GroupAccuracy::mean_r2));
  PageTable table{.headings = {"MAF %", "sites"}, .rows = {}, .summary = ""};
  AddMeasureHeadings(report, "site r2", table);
  for (size_t g = 0; g < kNumMafGroups; ++g) {
    if (report.imputed[0].groups[g].sites == 0) continue;
    std::vector<std::string> row{GroupTitle(kMafGroups[g]), GroupDigits(report.imputed[0].groups[g].sites)};
    for (const Evaluation& evaluation : report.imputed) {
      const GroupAccuracy& accuracy = evaluation.groups[g];
      AddMeasures({accuracy.r2, accuracy.mean_r2, accuracy.non_reference_concordance}, row);
    }
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
}

// GroupTitle() calls a group from 0 on "all".
std::string RangeTitle(const MafGroup& group) {
  return fmt::format("{:.5g} - {:.5g}", 100 * group.from, 100 * group.to);
}

bool HasOwnR2(const SiteAccuracy& site, const TruthSet& truth) {
  const double frequency = truth.alt_frequency(site.site);
  return std::min(frequency, 1 - frequency) >= kMinMaf && site.minor.VarianceOfTruth() > 0;
}

void AddCurve(const std::string& name, const Calibration& calibration, Chart& chart) {
  std::vector<double> x, y;
  for (const Calibration::Bin& bin : calibration.bins()) {
    if (bin.count < kMinInBin) continue;
    x.push_back(bin.MeanPredicted());
    y.push_back(bin.MeanObserved());
  }
  chart.AddLine(name, x, y);
}

Chart CalibrationChart(const std::string& title, const std::string& x, const std::string& y) {
  Chart chart(title, ShareAxis(x), ShareAxis(y));
  chart.AddReferenceLine(0, 0, 1, 1);
  return chart;
}

// A predicted quantity: its title, the titles of the axes, and its calibration.
struct Prediction {
  std::string title, x, y;
  Calibration FrequencyCalibration::*calibration;
};

const Prediction kDosage = {"Dosage of the minor allele", "mean dosage, per allele", "mean true allele count",
                            &FrequencyCalibration::dosages};
const Prediction kPosterior = {"GP", "mean probability", "fraction that is true", &FrequencyCalibration::posteriors};

// Adds a chart for each range of allele frequency, with a curve for each file.
void AddReliability(const EvaluationReport& report, const Prediction& prediction, Page& page) {
  for (size_t g = 0; g < std::size(kCalibrationGroups); ++g) {
    const std::string title = fmt::format("{}, MAF {} %", prediction.title, RangeTitle(kCalibrationGroups[g]));
    Chart chart = CalibrationChart(title, prediction.x, prediction.y);
    for (const Evaluation& evaluation : report.imputed) {
      AddCurve(evaluation.name, evaluation.by_frequency[g].*prediction.calibration, chart);
    }
    page.AddChart(chart);
  }
}

// The mean differences between what is predicted and what is true.
PageTable CalibrationErrors(const EvaluationReport& report) {
  PageTable table{.headings = {"MAF %"}, .rows = {}, .summary = ""};
  for (const Evaluation& evaluation : report.imputed) {
    table.headings.push_back(evaluation.name + ": error of DS, %");
    if (evaluation.has_posteriors) table.headings.push_back("error of GP, %");
  }
  for (size_t g = 0; g < std::size(kCalibrationGroups); ++g) {
    std::vector<std::string> row{RangeTitle(kCalibrationGroups[g])};
    for (const Evaluation& evaluation : report.imputed) {
      const FrequencyCalibration& calibration = evaluation.by_frequency[g];
      row.push_back(Percent(calibration.dosages.MeanError()));
      if (evaluation.has_posteriors) row.push_back(Percent(calibration.posteriors.MeanError()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Calibration CalibrationOfDr2(const Evaluation& evaluation, const TruthSet& truth) {
  Calibration calibration;
  for (const SiteAccuracy& site : evaluation.sites) {
    if (std::isnan(site.estimated_r2) || !HasOwnR2(site, truth)) continue;
    calibration.Add(site.estimated_r2, site.minor.SiteR2());
  }
  return calibration;
}

// The number of sites by DR2 and r2.
Chart Dr2Map(const Evaluation& evaluation, const TruthSet& truth) {
  HeatMap map{.columns = kCells,
              .rows = kCells,
              .values = std::vector<double>(kCells * kCells),
              .has_log_colors = true,
              .unit = "sites"};
  const auto cell = [](double share) {
    return std::min(static_cast<size_t>(std::clamp(share, 0., 1.) * double{kCells}), kCells - 1);
  };
  for (const SiteAccuracy& site : evaluation.sites) {
    if (std::isnan(site.estimated_r2) || !HasOwnR2(site, truth)) continue;
    map.values[cell(site.minor.SiteR2()) * kCells + cell(site.estimated_r2)] += 1;
  }
  for (double& value : map.values) {
    if (value == 0) value = NAN;
  }
  Chart chart = CalibrationChart("Sites by DR2 and r2: " + evaluation.name, "DR2", "the site's r2");
  chart.AddHeatMap(std::move(map));
  return chart;
}

void AddCalibration(const EvaluationReport& report, const TruthSet& truth, Page& page) {
  page.AddSection("Calibration");
  page.AddParagraph(fmt::format("Predicted and measured values; on the dashed line they agree. Bins with fewer than "
                                "{:.0f} values are omitted. DR2 is the file's estimate of the r2 of a site (Minimac's "
                                "R2, GLIMPSE's INFO), for sites with a minor-allele frequency of at least {} %.",
                                kMinInBin, 100 * kMinMaf),
                    PageTone::kNote);
  Chart dosages = CalibrationChart("Dosage (per allele)", "mean dosage", "mean true allele count");
  Chart posteriors = CalibrationChart("Genotype probability (GP)", "mean probability", "fraction that is true");
  Chart estimates = CalibrationChart("DR2", "mean DR2", "mean r2 of the sites");
  bool has_posteriors = false;
  for (const Evaluation& evaluation : report.imputed) {
    AddCurve(evaluation.name, evaluation.dosages, dosages);
    AddCurve(evaluation.name, CalibrationOfDr2(evaluation, truth), estimates);
    if (!evaluation.has_posteriors) continue;
    AddCurve(evaluation.name, evaluation.posteriors, posteriors);
    has_posteriors = true;
  }
  page.AddChart(dosages);
  if (has_posteriors) page.AddChart(posteriors);
  page.AddChart(estimates);
  AddReliability(report, kDosage, page);
  if (has_posteriors) AddReliability(report, kPosterior, page);
  for (const Evaluation& evaluation : report.imputed) page.AddChart(Dr2Map(evaluation, truth));
  page.AddTable(CalibrationErrors(report));
  page.AddParagraph("Errors: how far the means of a curve are from the dashed line, averaged over the genotypes.",
                    PageTone::kNote);
  if (!has_posteriors) page.AddParagraph("No file has GP (haplospin impute --format GP writes it).", PageTone::kNote);
}

// Windows of equal length from the first to the last scored site of a contig.
struct Windows {
  std::string contig;
  int64_t first = INT64_MAX, last = 0;  // bp

  size_t Of(int64_t position) const {
    const double share = static_cast<double>(position - first) / static_cast<double>(last - first + 1);
    return static_cast<size_t>(std::clamp(share, 0., 1 - 1e-12) * double{kWindows});
  }
  double Megabases(size_t window) const {
    const double share = (static_cast<double>(window) + 0.5) / kWindows;
    return (static_cast<double>(first) + share * static_cast<double>(last - first)) / 1e6;
  }
};

std::vector<Windows> WindowsOfContigs(const TruthSet& truth) {
  std::vector<Windows> contigs;
  for (size_t site = 0; site < truth.num_sites(); ++site) {
    if (!truth.scored(site)) continue;
    if (contigs.empty() || contigs.back().contig != truth.contig(site)) contigs.push_back({truth.contig(site)});
    contigs.back().first = std::min(contigs.back().first, truth.marker(site).position);
    contigs.back().last = std::max(contigs.back().last, truth.marker(site).position);
  }
  return contigs;
}

void AddLineOfWindows(const std::string& name, const Windows& windows, std::span<const double> values, Chart& chart) {
  std::vector<double> x, y;
  for (size_t w = 0; w < kWindows; ++w) {
    if (std::isnan(values[w])) continue;
    x.push_back(windows.Megabases(w));
    y.push_back(values[w]);
  }
  chart.AddLine(name, x, y);
}

std::vector<double> R2OfWindows(const Evaluation& evaluation, const TruthSet& truth, const Windows& windows) {
  std::vector<DosageSums> sums(kWindows);
  for (const SiteAccuracy& site : evaluation.sites) {
    if (truth.contig(site.site) != windows.contig) continue;
    sums[windows.Of(truth.marker(site.site).position)] += site.minor;
  }
  std::vector<double> r2;
  r2.reserve(sums.size());
  for (const DosageSums& sum : sums) r2.push_back(sum.PooledR2());
  return r2;
}

std::vector<double> EmpiricalR2OfWindows(const Evaluation& evaluation, const Windows& windows) {
  std::vector<double> sums(kWindows), counts(kWindows);
  for (const EmpiricalAccuracy& site : evaluation.empirical) {
    if (!SameContig(site.contig, windows.contig) || site.position < windows.first || site.position > windows.last) {
      continue;
    }
    sums[windows.Of(site.position)] += site.r2;
    counts[windows.Of(site.position)] += 1;
  }
  for (size_t w = 0; w < kWindows; ++w) sums[w] /= counts[w];  // NaN where there is none
  return sums;
}

void AddAlongContigs(const EvaluationReport& report, const TruthSet& truth, Page& page) {
  page.AddSection("Accuracy along the chromosome");
  const bool has_empirical =
      std::ranges::any_of(report.imputed, [](const Evaluation& evaluation) { return !evaluation.empirical.empty(); });
  if (has_empirical) {
    page.AddParagraph("ER2 is the accuracy of typed sites when each is left out and imputed; it needs no truth.",
                      PageTone::kNote);
  }
  for (const Windows& windows : WindowsOfContigs(truth)) {
    const std::string where = "contig " + windows.contig;
    Chart chart("r2, genotypes of a window's sites pooled: " + where, {.title = "Mb"}, ShareAxis("r2"));
    Chart empirical("Mean ER2 of a window's typed sites: " + where, {.title = "Mb"}, ShareAxis("ER2"));
    for (const Evaluation& evaluation : report.imputed) {
      AddLineOfWindows(evaluation.name, windows, R2OfWindows(evaluation, truth, windows), chart);
      AddLineOfWindows(evaluation.name, windows, EmpiricalR2OfWindows(evaluation, windows), empirical);
    }
    page.AddChart(chart);
    if (has_empirical) page.AddChart(empirical);
  }
}

void AddPopulations(const EvaluationReport& report, Page& page) {
  if (!report.populations) return;
  page.AddSection("Populations");
  Chart chart("r2 by population", {.title = "r2"}, {.labels = report.populations->names()});
  PageTable table{.headings = {"population", "samples"}, .rows = {}, .summary = ""};
  for (const std::string& name : report.populations->names()) {
    table.rows.push_back({name, GroupDigits(SamplesIn(*report.populations, table.rows.size()))});
  }
  AddMeasureHeadings(report, "concordance", table);
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> r2;
    const auto populations = AccuracyOfGroups(evaluation, *report.populations);
    for (size_t p = 0; p < populations.size(); ++p) {
      r2.push_back(populations[p].r2);
      AddMeasures({populations[p].r2, populations[p].concordance, populations[p].non_reference_concordance},
                  table.rows[p]);
    }
    chart.AddDots(evaluation.name, r2);
  }
  page.AddChart(chart);
  page.AddTable(table);
}

void AddPhase(const EvaluationReport& report, Page& page) {
  if (report.phase.empty()) return;
  page.AddSection("Phase");
  page.AddParagraph(PhaseLegend());
  page.AddTable(MakeTable(PhaseRows(report)));
  page.AddTable(MakeTable(SwitchRowsByAlleleCount(report)));
}

Chart QuantileChart(const EvaluationReport& report) {
  Chart chart("r2 of each sample, in ascending order", ShareAxis("share of the samples"), {.title = "r2"});
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> r2, x, y;
    for (const SampleAccuracy& sample : evaluation.samples) {
      if (!std::isnan(sample.r2)) r2.push_back(sample.r2);
    }
    std::ranges::sort(r2);
    const size_t points = std::min(r2.size(), kQuantiles);
    for (size_t i = 0; i < points; ++i) {
      const size_t rank = points == 1 ? 0 : i * (r2.size() - 1) / (points - 1);
      x.push_back((static_cast<double>(rank) + 0.5) / static_cast<double>(r2.size()));
      y.push_back(r2[rank]);
    }
    chart.AddLine(evaluation.name, x, y, LineMarkers::kNone);
  }
  return chart;
}

void AddSamples(const EvaluationReport& report, Page& page) {
  page.AddSection("Samples");
  page.AddChart(QuantileChart(report));
  const std::vector<SampleAccuracy>& first = report.imputed[0].samples;
  std::vector<size_t> order(first.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return first[a].r2 < first[b].r2; });
  const bool has_all = order.size() <= kTableSamples;
  if (!has_all) order.resize(kTableSamples);

  PageTable table{.headings = {"sample"}, .rows = {}, .summary = ""};
  table.summary = has_all ? fmt::format("All {} samples, worst first", GroupDigits(order.size()))
                          : fmt::format("The {} worst of {} samples (--per-sample writes all)",
                                        GroupDigits(kTableSamples), GroupDigits(first.size()));
  if (report.populations) {
    table.headings.push_back("population");
    table.text_columns = 2;
  }
  AddMeasureHeadings(report, "concordance", table);
  for (const size_t s : order) {
    std::vector<std::string> row{first[s].name};
    if (report.populations) row.push_back(report.populations->names()[report.populations->group_of()[s]]);
    for (const Evaluation& evaluation : report.imputed) {
      const SampleAccuracy& sample = evaluation.samples[s];
      AddMeasures({sample.r2, sample.concordance, sample.non_reference_concordance}, row);
    }
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
}

// "File: haplospin 0.1.0, imputer.safetensors, sha256:..."; no line where the header says nothing.
void AddModels(const EvaluationReport& report, Page& page) {
  for (const Evaluation& evaluation : report.imputed) {
    if (evaluation.program.empty() && evaluation.model.empty()) continue;
    const char* separator = evaluation.program.empty() || evaluation.model.empty() ? "" : ", ";
    page.AddModel(evaluation.name + ": " + evaluation.program + separator + evaluation.model);
  }
}

}  // namespace

std::string EvaluationPage(const EvaluationReport& report, const TruthSet& truth, const Provenance& provenance) {
  Page page("Imputation accuracy");
  AddSummary(report, page);
  AddFrequencies(report, page);
  AddCalibration(report, truth, page);
  AddAlongContigs(report, truth, page);
  AddPopulations(report, page);
  AddPhase(report, page);
  AddSamples(report, page);
  AddModels(report, page);
  return page.Html(provenance);
}

}  // namespace haplospin
