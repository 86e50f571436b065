#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cli/evaluate/evaluation_page_parts.h"
#include "cli/evaluate/measure_text.h"

namespace haplospin {
namespace {

constexpr double kMinMaf = 0.005;  // of sites whose r2 is meaningful
constexpr double kMinInBin = 10;   // of a calibration curve
constexpr size_t kCells = 20;      // of a heat map, each way

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

// What is predicted: its title, the axes, and where its calibration is.
struct Prediction {
  std::string title, x, y;
  Calibration FrequencyCalibration::*calibration;
};

const Prediction kDosage = {"Dosage of the minor allele", "mean dosage, per allele", "mean true allele count",
                            &FrequencyCalibration::dosages};
const Prediction kPosterior = {"GP", "mean probability", "fraction that is true", &FrequencyCalibration::posteriors};

// A chart for each range of allele frequency, with a curve for each file.
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

}  // namespace

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

}  // namespace haplospin
