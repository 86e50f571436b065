// The sections of `haplospin evaluate --multiqc`: a table with a row for each imputed file, and r2 and DR2 by allele
// frequency.
#include <cmath>

#include "cli/genotypes/evaluate/evaluation_report.h"
#include "cli/options/output.h"

namespace haplospin {
namespace {

using Json = nlohmann::ordered_json;

// The mean DR2 of the sites whose true genotypes vary, if all of them have one.
double MeanEstimate(const GroupAccuracy& accuracy) {
  return accuracy.rated_sites == accuracy.varying_sites ? accuracy.mean_r2 + accuracy.dr2_mean_error : kUndefined;
}

// A line for each imputed file over the bins of allele frequency.
MultiqcSection ByFrequency(const EvaluationReport& report, const char* id, const char* title, const char* description,
                           double (*measure)(const GroupAccuracy&)) {
  Json lines = Json::object();
  for (const Evaluation& evaluation : report.imputed) {
    Json& line = lines[evaluation.name] = Json::object();
    for (size_t g = 0; g < kNumMafBins; ++g) {
      const double value = measure(evaluation.groups[g]);
      if (!std::isnan(value)) line[GroupTitle(kMafGroups[g])] = JsonNumber(value);
    }
  }
  const Json layout = {{"id", std::string(id) + "_plot"},
                       {"title", std::string("haplospin: ") + title},
                       {"xlab", "minor-allele frequency, %"},
                       {"ylab", title},
                       {"ymin", 0},
                       {"ymax", 1},
                       {"categories", true}};
  return {.id = id,
          .title = title,
          .description = description,
          .plot = "linegraph",
          .layout = {{"pconfig", layout}},
          .data = lines};
}

}  // namespace

MultiqcSection AccuracyMultiqc(const EvaluationReport& report) {
  Json rows = Json::object();
  for (const Evaluation& evaluation : report.imputed) {
    const GroupAccuracy &all = evaluation.groups[kAllSites], &common = evaluation.groups[kFromOnePercent];
    rows[evaluation.name] = {{"samples", report.num_samples},
                             {"sites", all.sites},
                             {"r2", JsonNumber(all.r2)},
                             {"r2_common", JsonNumber(common.r2)},
                             {"concordance", JsonNumber(100 * all.concordance)},
                             {"dr2_error", JsonNumber(common.dr2_mean_error)}};
  }
  const Json headers = {
      {"samples", MultiqcColumn("Samples", "samples scored", "{:,.0f}")},
      {"sites", MultiqcColumn("Sites", "imputed sites scored", "{:,.0f}")},
      {"r2", MultiqcColumn("r2", "squared correlation of dosages and true genotypes, all sites", "{:,.4f}")},
      {"r2_common", MultiqcColumn("r2, MAF >= 1 %", "the same of sites with a MAF of at least 1 %", "{:,.4f}")},
      {"concordance", MultiqcColumn("Concordance, %", "best-guess genotypes that are the true ones", "{:,.2f}")},
      {"dr2_error", MultiqcColumn("DR2 - r2", "mean difference of estimated and true r2, MAF >= 1 %", "{:,.4f}")}};
  return MultiqcTable("haplospin_accuracy", "Accuracy",
                      "Imputed and true genotypes, by <code>haplospin evaluate</code>.", headers, rows);
}

MultiqcSection R2Multiqc(const EvaluationReport& report) {
  return ByFrequency(report, "haplospin_r2_by_maf", "r2",
                     "Squared correlation of dosages and true genotypes by minor-allele frequency.",
                     [](const GroupAccuracy& accuracy) { return accuracy.r2; });
}

MultiqcSection Dr2Multiqc(const EvaluationReport& report) {
  return ByFrequency(report, "haplospin_dr2_by_maf", "Mean DR2",
                     "Estimated accuracy (DR2) by minor-allele frequency, sites with true genotypes that vary.",
                     MeanEstimate);
}

}  // namespace haplospin
