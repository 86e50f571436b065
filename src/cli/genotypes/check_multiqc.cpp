// The section of `haplospin check --multiqc`: a table with a row for the study.
#include "cli/genotypes/check_report.h"
#include "core/counted.h"

namespace haplospin {
namespace {

using Json = nlohmann::ordered_json;

double MissingPercentage(const StudyCheck& check) {
  size_t alleles = 0, missing = 0;
  for (const SampleCheck& sample : check.samples) {
    alleles += sample.alleles;
    missing += sample.missing;
  }
  return PercentageOf(missing, alleles);
}

}  // namespace

MultiqcSection CheckMultiqc(const StudyCheck& check, const CheckConclusion& conclusion, const std::string& name) {
  Json row = {{"samples", check.samples.size()}, {"sites", check.sites}, {"missing", MissingPercentage(check)}};
  Json headers = {{"samples", MultiqcColumn("Samples", "samples of the study", "{:,.0f}")},
                  {"sites", MultiqcColumn("Sites", "sites of the study", "{:,.0f}")},
                  {"missing", MultiqcColumn("Missing", "missing alleles", "{:,.2f}", " %")}};
  if (check.HasPanel()) {
    row["in_panel"] = PercentageOf(check.SamePosition(), check.sites);
    row["to_fix"] = check.NumToFix();
    headers["in_panel"] = MultiqcColumn("In the panel", "sites at positions of the panel", "{:,.1f}", " %");
    headers["to_fix"] =
        MultiqcColumn("Swapped or flipped", "sites that match the panel once --fix corrects them", "{:,.0f}");
  }
  row["verdict"] = conclusion.text;
  headers["verdict"] = {{"title", "Verdict"}, {"description", "whether to impute the study"}, {"scale", false}};
  return MultiqcTable("haplospin_check", "Studies", "Studies before imputation, by <code>haplospin check</code>.",
                      headers, {{name, row}});
}

}  // namespace haplospin
