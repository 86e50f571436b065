// The output of `haplospin check --json`.
#include <nlohmann/json.hpp>

#include "cli/genotypes/check_report.h"
#include "cli/options/output.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json ContigsJson(const StudyCheck& check) {
  Json list = Json::array();
  for (const ContigCheck& contig : check.contigs) {
    list.push_back({{"name", contig.name},
                    {"panel_name", TextOrNull(contig.panel_name)},
                    {"sites", contig.sites},
                    {"within_panel", contig.within_panel},
                    {"first", contig.span.first},
                    {"last", contig.span.last},
                    {"panel_sites", contig.panel_sites},
                    {"same_position", contig.same_position}});
  }
  return list;
}

constexpr const char* kRelationKeys[kNumSiteRelations] = {"same",           "swapped",
                                                          "strand_flipped", "strand_flipped_and_swapped",
                                                          "inverted",       "ambiguous_undecided",
                                                          "duplicate",      "other_alleles",
                                                          "without_alt",    "not_in_panel"};

constexpr const char* kVerdictKeys[] = {"ready", "ready_when_fixed", "do_not_impute", "not_compared"};

// Adds the results about sites that need a panel.
void AddComparison(const StudyCheck& check, Json& json) {
  json["same_position"] = check.SamePosition();
  for (size_t i = 0; i < kNumSiteRelations; ++i) {
    json[kRelationKeys[i]] = check.Count(static_cast<SiteRelation>(i));
  }
  json["ambiguous"] = {{"total", check.ambiguous},
                       {"same_strand", check.ambiguous_same_strand},
                       {"other_strand", check.ambiguous_other_strand},
                       {"undecided", check.ambiguous - check.ambiguous_same_strand - check.ambiguous_other_strand}};
  for (size_t i = 0; i < kNumSiteRelations; ++i) {
    if (!check.examples[i].empty()) json["examples"][kRelationKeys[i]] = check.examples[i];
  }
}

Json SitesJson(const StudyCheck& check) {
  const SiteQuality& quality = check.quality;
  Json json = {{"total", check.sites}};
  if (check.HasPanel()) {
    AddComparison(check, json);
  } else {
    json["duplicate"] = check.Count(SiteRelation::kDuplicate);
    json["without_alt"] = quality.without_alt;
    json["ambiguous"] = {{"total", quality.strand_ambiguous}};
  }
  json["monomorphic"] = quality.monomorphic;
  json["maf_below_1_percent"] = quality.rare;
  json["often_missing"] = quality.often_missing;
  json["excess_heterozygotes"] = quality.heterozygous;
  return json;
}

Json FrequenciesJson(const FrequencyComparison& frequencies) {
  Json json = {{"sites", frequencies.sites},
               {"correlation", JsonNumber(frequencies.correlation)},
               {"outliers", frequencies.num_outliers},
               {"largest", Json::array()}};
  for (const FrequencyOutlier& outlier : frequencies.outliers) {
    json["largest"].push_back(
        {{"site", outlier.site}, {"study", JsonNumber(outlier.study)}, {"panel", JsonNumber(outlier.panel)}});
  }
  return json;
}

Json PanelFitJson(const StudyCheck& check) {
  if (!check.panel_fit) return {};
  return {{"switches", JsonNumber(check.panel_fit->switches)},
          {"mismatches", JsonNumber(check.panel_fit->mismatches)},
          {"unmatched", JsonNumber(check.panel_fit->unmatched)},
          {"panel_unmatched", JsonNumber(check.panel_fit->panel_unmatched)},
          {"other_population", check.panel_fit->is_of_another_population}};
}

Json ArraysJson(const StudyCheck& check) {
  Json list = Json::array();
  for (const ArrayOverlap& array : check.arrays) {
    list.push_back(
        {{"path", array.path}, {"sites", array.sites}, {"sites_there", array.sites_there}, {"shared", array.shared}});
  }
  return list;
}

Json FindingsJson(const StudyCheck& check) {
  Json list = Json::array();
  for (const CheckFinding& finding : CheckFindings(check)) {
    list.push_back({{"what", finding.what}, {"remedy", finding.remedy}, {"corrected_by_fix", finding.is_fixed}});
  }
  return list;
}

std::string PloidyText(const SampleCheck& sample) {
  return sample.is_haploid ? sample.is_diploid ? "1 and 2" : "1" : sample.is_diploid ? "2" : "0";
}

Json PanelJson(const StudyCheck& check) {
  if (!check.HasPanel()) return {};
  return {{"path", check.options.panel}, {"samples", check.panel_samples}, {"build", TextOrNull(check.panel_build)}};
}

Json CertaintyJson(const StudyCheck& check) {
  if (!check.certainty) return {};
  return {{"field", FieldName(check.certainty->field)},
          {"genotypes", check.certainty->genotypes},
          {"uncertain", check.certainty->uncertain}};
}

Json SamplesJson(const StudyCheck& check) {
  Json list = Json::array();
  for (const SampleCheck& sample : check.samples) {
    list.push_back({{"sample", sample.name},
                    {"ploidy", PloidyText(sample)},
                    {"alleles", sample.alleles},
                    {"missing", sample.missing}});
  }
  return list;
}

Json RelativesJson(const StudyCheck& check) {
  if (!check.relatives) return {};
  return {{"with_both_parents", check.relatives->with_both_parents},
          {"with_one_parent", check.relatives->with_one_parent},
          {"undecided", check.relatives->undecided},
          {"centimorgans", JsonNumber(check.relatives->centimorgans)},
          {"too_short", check.relatives->is_too_short}};
}

Json DuplicatesJson(const StudyCheck& check) {
  if (!check.duplicates) return {};
  Json pairs = Json::array();
  for (const FoundDuplicates::Pair& pair : check.duplicates->pairs) {
    pairs.push_back({{"samples", {pair.a, pair.b}}, {"agreement", JsonNumber(pair.agreement)}});
  }
  return {{"pairs", pairs},
          {"centimorgans", JsonNumber(check.duplicates->centimorgans)},
          {"too_short", check.duplicates->is_too_short}};
}

Json SexesJson(const StudyCheck& check) {
  if (!check.sexes) return {};
  Json others = Json::array();
  for (const SexContradiction& person : check.sexes->contradictions) {
    others.push_back({{"sample", person.sample},
                      {"given", person.is_given_male ? "male" : "female"},
                      {"inbreeding", JsonNumber(person.inbreeding)}});
  }
  return {{"compared", check.sexes->compared}, {"contradictions", others}};
}

}  // namespace

std::string CheckJson(const StudyCheck& check, const CheckConclusion& conclusion) {
  const Json json = {
      {"haplospin", kVersion},
      {"study",
       {{"path", check.options.study},
        {"samples", check.samples.size()},
        {"build", TextOrNull(check.study_build)},
        {"phased", !check.is_unphased}}},
      {"panel", PanelJson(check)},
      {"contigs", ContigsJson(check)},
      {"sites", SitesJson(check)},
      {"frequencies", FrequenciesJson(check.frequencies)},
      {"panel_fit", PanelFitJson(check)},
      {"duplicates", DuplicatesJson(check)},
      {"relatives", RelativesJson(check)},
      {"sexes", SexesJson(check)},
      {"likelihoods", CertaintyJson(check)},
      {"arrays", ArraysJson(check)},
      {"array",
       check.identified_array < 0 ? Json() : Json(check.arrays[static_cast<size_t>(check.identified_array)].path)},
      {"verdict", {{"code", kVerdictKeys[static_cast<size_t>(conclusion.verdict)]}, {"text", conclusion.text}}},
      {"findings", FindingsJson(check)},
      {"per_sample", SamplesJson(check)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace haplospin
