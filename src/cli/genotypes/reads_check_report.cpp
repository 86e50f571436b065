#include "cli/genotypes/reads_check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cli/options/output.h"
#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/alignments/reads_findings.h"
#include "haplospin/version.h"
#include "report/chart.h"
#include "report/page.h"

namespace haplospin {
namespace {

using Json = nlohmann::ordered_json;
using Facts = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kTextPeople = 40;  // rows of the table for the terminal
constexpr double kMinMapped = 0.8;

const char* SexName(ReadsSex sex) {
  constexpr const char* kNames[] = {"", "female", "male", "unclear"};
  return kNames[static_cast<size_t>(sex)];
}

double CoveredPercentage(const ReadsCheck& check, const PersonReads& person) {
  return PercentageOf(person.counts.sites_with_reads, check.sites);
}

double OtherPercentage(const ReadCounts& counts) { return PercentageOf(counts.neither, counts.snv_reads); }

double ExpectedPercentage(const ReadCounts& counts) { return PercentageOf(counts.expected_neither, counts.snv_reads); }

std::string NumberOrNone(const std::optional<double>& value, double factor, const char* format) {
  return value ? fmt::format(fmt::runtime(format), factor * *value) : "";
}

Facts FileFacts(const ReadsCheck& check) {
  size_t files = 0;
  for (const PersonReads& person : check.people) files += person.files;
  return {{"study", fmt::format("{}: {} in {}", check.study_path, Counted(check.people.size(), "sample"),
                                Counted(files, "file"))},
          {"panel", fmt::format("{}: {} on contigs {}", check.panel_path, CountedInGroups(check.sites, "site"),
                                JoinNames(check.contigs))}};
}

Facts ReadFacts(const ReadsCheck& check) {
  const ReadCounts all = check.All();
  double least = 0, most = 0;
  for (const PersonReads& person : check.people) {
    const double depth = check.Depth(person);
    least = &person == check.people.data() ? depth : std::min(least, depth);
    most = std::max(most, depth);
  }
  const size_t genotypes = check.people.size() * check.sites;
  const std::string left_out = LeftOutText(all, check.filter);
  return {{"reads left out", left_out.empty() ? "none" : left_out},
          {"mean depth", fmt::format("{:.2f} (of a sample {:.2f} to {:.2f})", check.MeanDepth(), least, most)},
          {"sites with reads", fmt::format("{:.1f} %", PercentageOf(all.sites_with_reads, genotypes))},
          {"neither REF nor ALT", fmt::format("{:.2f} % of the bases; {:.2f} % are expected by their qualities",
                                              OtherPercentage(all), ExpectedPercentage(all))}};
}

// The row of a person: name, depth, sites, mapped, other bases, X, Y, sex.
std::vector<std::string> PersonRow(const ReadsCheck& check, const PersonReads& person) {
  return {person.name,
          fmt::format("{:.2f}", check.Depth(person)),
          fmt::format("{:.1f}", CoveredPercentage(check, person)),
          NumberOrNone(person.mapped, 100, "{:.1f}"),
          fmt::format("{:.2f}", OtherPercentage(person.counts)),
          NumberOrNone(person.x, 1, "{:.2f}"),
          NumberOrNone(person.y, 1, "{:.2f}"),
          SexName(person.Sex())};
}

const std::vector<std::string> kHeadings = {"sample", "depth", "sites, %", "mapped, %", "other, %", "X", "Y", "sex"};

// The people of whom something holds, as "2 samples (A, B)"; "" for none.
std::string People(const ReadsCheck& check, const std::function<bool(const PersonReads&)>& holds) {
  std::vector<std::string> names;
  for (const PersonReads& person : check.people) {
    if (holds(person)) names.push_back(person.name);
  }
  if (names.empty()) return "";
  return fmt::format("{} ({})", Counted(names.size(), "sample"), JoinNames(names, kSamplesShown));
}

bool IsDamaged(const PersonReads& person) { return person.errors.HasDamage(); }

// The mean damage of those who have any.
std::string DescribeDamage(const ReadsCheck& check) {
  double c_to_t = 0, g_to_a = 0;
  size_t damaged = 0;
  for (const PersonReads& person : check.people) {
    if (!IsDamaged(person)) continue;
    ++damaged;
    c_to_t += person.errors.Damage(kCToT, kReadStart, 0);
    g_to_a += person.errors.Damage(kGToA, kReadEnd, 0);
  }
  return fmt::format(
      "with damage of ancient DNA: C is T in {:.1f} % of the first bases, G is A in {:.1f} % of the last",
      PercentageOf(c_to_t, damaged), PercentageOf(g_to_a, damaged));
}

// What is found, and what to do about it.
Facts Findings(const ReadsCheck& check) {
  Facts findings;
  const auto add = [&](const std::string& people, const std::string& what, const std::string& remedy) {
    if (!people.empty()) findings.emplace_back(people + " " + what, remedy);
  };
  add(People(check, [](const PersonReads& person) { return person.counts.reads == 0; }), "without reads at the sites",
      "leave them out: what is imputed for them is the panel's frequencies");
  add(People(check, IsDamaged), DescribeDamage(check),
      "impute and phase estimate it for each sample, and count with it");
  std::vector<std::string> names;
  std::vector<ReadCounts> counts;
  std::vector<ErrorModel> models;
  for (const PersonReads& person : check.people) {
    names.push_back(person.name);
    counts.push_back(person.counts);
    // Damage is told above; what else is wrong, here.
    models.push_back(IsDamaged(person) ? person.errors : ErrorModel());
  }
  for (const ReadsFinding& finding : FindReadsProblems(names, counts, check.filter, models)) {
    findings.emplace_back(finding.what, finding.remedy);
  }
  if (const auto nobodys = FindNobodysReads(check.nobodys_reads)) findings.emplace_back(nobodys->what, nobodys->remedy);
  add(People(check, [](const PersonReads& person) { return person.mapped.value_or(1) < kMinMapped; }),
      "with less than 80 % of their reads mapped", "usual for ancient DNA; otherwise DNA of another species");
  add(People(check, [](const PersonReads& person) { return person.Sex() == ReadsSex::kUnclear; }),
      "whose depths of X and Y are of neither sex", "contaminated, or another karyotype");
  add(People(check, [&](const PersonReads& person) { return check.IsOfAnotherSex(person); }),
      "of another sex by their reads than by --sex", "check whether samples were exchanged");
  return findings;
}

// How often damage has changed a base, by its distance from an end of the read: the mean, and the range, of those who
// have any.
Chart DamageChart(const ReadsCheck& check, ReadEnd end) {
  Chart chart(end == kReadStart ? "First bases of a read" : "Last bases of a read",
              {.title = end == kReadStart ? "bases from the start" : "bases from the end"},
              {.title = "changed bases, %", .low = 0});
  for (const auto& [deamination, name] : {std::pair(kCToT, "C to T"), std::pair(kGToA, "G to A")}) {
    std::vector<double> distances, means, lows, highs;
    for (size_t distance = 0; distance < kDamageDistances; ++distance) {
      double sum = 0, low = 100, high = 0;
      size_t damaged = 0;
      for (const PersonReads& person : check.people) {
        if (!IsDamaged(person)) continue;
        const double changed = 100 * person.errors.Damage(deamination, end, distance);
        ++damaged;
        sum += changed;
        low = std::min(low, changed);
        high = std::max(high, changed);
      }
      distances.push_back(static_cast<double>(distance + 1));
      means.push_back(sum / static_cast<double>(damaged));
      lows.push_back(low);
      highs.push_back(high);
    }
    chart.AddBand(name, distances, lows, highs);
    chart.AddLine(name, distances, means);
  }
  return chart;
}

void AddDamage(const ReadsCheck& check, Page& page) {
  if (std::ranges::none_of(check.people, IsDamaged)) return;
  page.AddSection("Damage of ancient DNA");
  page.AddParagraph(
      "How often deamination has changed a base, by its distance from the ends of a read, on the strand "
      "that was sequenced: the mean of " +
      People(check, IsDamaged) + ", and from the least to the most damaged one.");
  for (const ReadEnd end : {kReadStart, kReadEnd}) page.AddChart(DamageChart(check, end));
}

Json SharesJson(const ReadCounts& counts) {
  return {{"reads", counts.reads},
          {"below_min_mapq", counts.left_out[static_cast<size_t>(LeftOut::kMapq)]},
          {"duplicates", counts.left_out[static_cast<size_t>(LeftOut::kDuplicate)]},
          {"failed", counts.left_out[static_cast<size_t>(LeftOut::kFailed)]},
          {"sites_with_reads", counts.sites_with_reads},
          {"other_bases", JsonNumber(OtherPercentage(counts) / 100)},
          {"expected_other_bases", JsonNumber(ExpectedPercentage(counts) / 100)}};
}

Json NumberOrNull(const std::optional<double>& value) { return value ? JsonNumber(*value) : Json(); }

Json PeopleJson(const ReadsCheck& check) {
  Json list = Json::array();
  for (const PersonReads& person : check.people) {
    Json json = {{"sample", person.name}, {"files", person.files}, {"depth", JsonNumber(check.Depth(person))}};
    json.update(SharesJson(person.counts));
    json["mapped"] = NumberOrNull(person.mapped);
    json["x_depth"] = NumberOrNull(person.x);
    json["y_depth"] = NumberOrNull(person.y);
    json["sex"] = person.Sex() == ReadsSex::kUnknown ? Json() : Json(SexName(person.Sex()));
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string ReadsCheckText(const ReadsCheck& check, const CheckConclusion& conclusion) {
  std::string text = RowsText("Files", FileFacts(check)) + RowsText("Reads", ReadFacts(check));
  TextTable table({kHeadings});
  for (size_t p = 0; p < std::min(check.people.size(), kTextPeople); ++p) {
    table.AddRow(PersonRow(check, check.people[p]));
  }
  text += table.Text();
  if (check.people.size() > kTextPeople) {
    text += fmt::format("and {} more: --html, --json\n", check.people.size() - kTextPeople);
  }
  const Facts findings = Findings(check);
  text += findings.empty() ? "\nNothing to fix\n" : "\nTo fix\n";
  for (const auto& [what, remedy] : findings) text += fmt::format("  - {}\n    {}\n", what, remedy);
  return text + fmt::format("\nVerdict: {}\n", conclusion.text);
}

std::string ReadsCheckPage(const ReadsCheck& check, const CheckConclusion& conclusion, const Provenance& provenance) {
  Page page("Check of " + check.study_path);
  const Facts findings = Findings(check);
  page.AddParagraph("Verdict: " + conclusion.text, conclusion.verdict != CheckVerdict::kReady ? PageTone::kBad
                                                   : findings.empty()                         ? PageTone::kGood
                                                                                              : PageTone::kNote);
  page.AddSection("To fix");
  findings.empty() ? page.AddParagraph("Nothing to fix.") : page.AddList(findings);
  page.AddSection("Files");
  page.AddFacts(FileFacts(check));
  page.AddSection("Reads");
  page.AddFacts(ReadFacts(check));
  AddDamage(check, page);
  PageTable table{.headings = kHeadings, .rows = {}, .summary = ""};
  for (const PersonReads& person : check.people) table.rows.push_back(PersonRow(check, person));
  page.AddTable(table);
  return page.Html(provenance);
}

std::string ReadsCheckJson(const ReadsCheck& check, const CheckConclusion& conclusion) {
  Json findings = Json::array();
  for (const auto& [what, remedy] : Findings(check)) findings.push_back({{"what", what}, {"remedy", remedy}});
  const bool is_ready = conclusion.verdict == CheckVerdict::kReady;
  Json reads = {{"depth", JsonNumber(check.MeanDepth())}};
  reads.update(SharesJson(check.All()));
  const Json json = {{"haplospin", kVersion},
                     {"study", {{"path", check.study_path}, {"samples", check.people.size()}}},
                     {"panel", {{"path", check.panel_path}}},
                     {"contigs", check.contigs},
                     {"sites", {{"total", check.sites}}},
                     {"reads", reads},
                     {"verdict", {{"code", is_ready ? "ready" : "do_not_impute"}, {"text", conclusion.text}}},
                     {"findings", findings},
                     {"per_sample", PeopleJson(check)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

MultiqcSection ReadsCheckMultiqc(const ReadsCheck& check, const CheckConclusion& conclusion, const std::string& name) {
  const size_t genotypes = check.people.size() * check.sites;
  const ReadCounts all = check.All();
  const Json row = {{"samples", check.people.size()}, {"sites", check.sites},
                    {"depth", check.MeanDepth()},     {"covered", PercentageOf(all.sites_with_reads, genotypes)},
                    {"other", OtherPercentage(all)},  {"verdict", conclusion.text}};
  const Json headers = {
      {"samples", MultiqcColumn("Samples", "samples of the study", "{:,.0f}")},
      {"sites", MultiqcColumn("Sites", "sites of the panel of which reads tell", "{:,.0f}")},
      {"depth", MultiqcColumn("Depth", "mean depth at the sites", "{:,.2f}")},
      {"covered", MultiqcColumn("With reads", "sites of a sample with reads", "{:,.1f}", " %")},
      {"other", MultiqcColumn("Other bases", "bases that are neither REF nor ALT", "{:,.2f}", " %")},
      {"verdict", {{"title", "Verdict"}, {"description", "whether to impute the study"}, {"scale", false}}}};
  return MultiqcTable("haplospin_reads", "Reads",
                      "Studies of aligned reads before imputation, by <code>haplospin check</code>.", headers,
                      {{name, row}});
}

}  // namespace haplospin
