// The same variants in other records: several ALTs of a site together or apart, in any order, and REF and ALT
// exchanged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "core/random.h"

namespace haplospin {
namespace {

constexpr uint8_t kMissing = 9;
constexpr size_t kPanelPeople = 60, kStudyPeople = 5;

struct Site {
  int64_t position;
  std::string ref;
  std::vector<std::string> alts;
  std::vector<uint8_t> alleles;  // [haplotypes] index of the allele, or kMissing
};

// Every fifth site has a second ALT, of some of the haplotypes without the first.
std::vector<Site> SimulateSites(uint64_t seed) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 2 * (kPanelPeople + kStudyPeople),
                                        .markers = 150,
                                        .founders = 8,
                                        .rare_share = 0.3,
                                        .seed = seed});
  std::vector<Site> sites;
  for (size_t m = 0; m + 1 < mosaic.markers.size(); ++m) {
    Site site{mosaic.markers[m].position, "A", {"C"}, {}};
    const bool has_second = sites.size() % 5 == 2;
    for (const std::vector<uint8_t>& haplotype : mosaic.alleles) {
      site.alleles.push_back(haplotype[m] == 0 && has_second && haplotype[m + 1] == 1 ? 2 : haplotype[m]);
    }
    if (has_second) site.alts.emplace_back("G");
    m += has_second ? 1 : 0;
    sites.push_back(site);
  }
  return sites;
}

enum class Form { kJoint, kSplit, kReversed, kAny };

class EquivalentRecordsTest : public ImputeFiles {
 protected:
  using Dosages = std::map<std::pair<std::string, std::string>, std::vector<double>>;  // position and ALT: [samples]

  // Writes the haplotypes from `first` on at the sites that `keep` keeps.
  template <typename Keep>
  std::string WriteSites(const std::string& name, const std::vector<Site>& sites, size_t first, size_t people,
                         Form form, const Keep& keep) const {
    VcfText vcf(DiploidSamples(first == 0 ? "R" : "S", people).names, {"20"});
    RandomStream random(5);
    for (const Site& site : sites) {
      if (!keep(site)) continue;
      const Form own = form == Form::kAny ? static_cast<Form>(random.UniformInt(3)) : form;
      const auto add = [&](const std::string& alts, const auto& code) {
        std::string genotypes;
        for (size_t h = first; h < first + 2 * people; ++h) {
          const uint8_t allele = site.alleles[h];
          genotypes += (h % 2 == 1 ? "|" : h == first ? "" : " ");
          genotypes += allele == kMissing ? "." : std::to_string(code(allele));
        }
        vcf.Add("20", site.position, site.ref, alts, genotypes);
      };
      if (own == Form::kJoint) {
        add(fmt::format("{}", fmt::join(site.alts, ",")), [](uint8_t allele) { return int{allele}; });
        continue;
      }
      for (size_t i = 0; i < site.alts.size(); ++i) {
        const size_t a = own == Form::kReversed ? site.alts.size() - 1 - i : i;
        add(site.alts[a], [&](uint8_t allele) { return allele == a + 1 ? 1 : 0; });
      }
    }
    return Write(name, vcf.text());
  }

  Dosages Run(const std::vector<std::string>& options) const {
    Dosages dosages;
    for (const auto& record : VcfLines(ImputedText(options)).records) {
      std::vector<double>& values = dosages[{record[kPos], record[kAlt]}];
      for (size_t s = 0; s + kFirstSample < record.size(); ++s) values.push_back(std::stod(Field(record, s, "DS")));
    }
    return dosages;
  }

  static double MeanDifference(const Dosages& a, const Dosages& b) {
    double sum = 0, count = 0;
    EXPECT_EQ(a.size(), b.size());
    for (const auto& [marker, values] : a) {
      const auto other = b.find(marker);
      if (other == b.end() || other->second.size() != values.size()) {
        ADD_FAILURE() << marker.first << " " << marker.second;
        continue;
      }
      for (size_t s = 0; s < values.size(); ++s) sum += std::abs(values[s] - other->second[s]);
      count += static_cast<double>(values.size());
    }
    return sum / count;
  }
};

bool IsTypedSite(const Site& site) { return site.position / 5000 % 3 == 0; }
bool IsAnySite(const Site&) { return true; }

// Which haplotypes are copied where several match equally well depends on the order of the records, and nothing else.
TEST_F(EquivalentRecordsTest, AltsOfASiteMayBeInAnyRecords) {
  for (const uint64_t seed : {1, 2, 3}) {
    const std::vector<Site> sites = SimulateSites(seed);
    const auto run = [&](Form panel, Form study) {
      return Run({"--ref", WriteSites("p.vcf", sites, 0, kPanelPeople, panel, IsAnySite), "--target",
                  WriteSites("s.vcf", sites, 2 * kPanelPeople, kStudyPeople, study, IsTypedSite)});
    };
    const Dosages joint = run(Form::kJoint, Form::kJoint);
    for (const Form panel : {Form::kJoint, Form::kSplit, Form::kReversed, Form::kAny}) {
      for (const Form study : {Form::kJoint, Form::kSplit, Form::kReversed, Form::kAny}) {
        const double tolerance = panel <= Form::kSplit ? 1e-9 : 2e-3;
        EXPECT_LE(MeanDifference(run(panel, study), joint), tolerance)
            << seed << " " << static_cast<int>(panel) << static_cast<int>(study);
      }
    }
  }
}

// Without a panel, haplotypes are drawn, which depends on the order of the records too.
TEST_F(EquivalentRecordsTest, AltsOfASiteWithoutAPanel) {
  for (const uint64_t seed : {1, 2, 3}) {
    std::vector<Site> sites = SimulateSites(seed);
    RandomStream random(seed);
    for (Site& site : sites) {
      for (size_t h = 0; h < site.alleles.size(); h += 2) {
        if (random.Bernoulli(0.1)) site.alleles[h] = site.alleles[h + 1] = kMissing;
      }
    }
    const auto run = [&](Form form) {
      const std::string study = WriteSites("s.vcf", sites, 0, kPanelPeople, form, IsAnySite);
      const ProgramResult result = RunProgram({"impute", "--target", study, "--out", imputed_path_});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      Dosages dosages;
      for (const auto& record : VcfLines(ReadFile(imputed_path_)).records) {
        std::vector<double>& values = dosages[{record[kPos], record[kAlt]}];
        for (size_t s = 0; s < kPanelPeople; ++s) values.push_back(std::stod(Field(record, s, "DS")));
      }
      return dosages;
    };
    const Dosages joint = run(Form::kJoint);
    EXPECT_EQ(MeanDifference(run(Form::kSplit), joint), 0);
    for (const Form form : {Form::kReversed, Form::kAny}) {
      const Dosages other = run(form);
      EXPECT_LE(MeanDifference(other, joint), 0.01) << seed;
      for (const auto& [marker, values] : other) {
        if (marker.second != "G") continue;
        const std::vector<double>& first = other.at({marker.first, "C"});
        for (size_t s = 0; s < values.size(); ++s) EXPECT_LE(values[s] + first[s], 2.0011) << marker.first;
      }
    }
  }
}

TEST_F(EquivalentRecordsTest, ExchangedAllelesGiveMirroredDosages) {
  for (const uint64_t seed : {1, 2, 3}) {
    std::vector<Site> sites = SimulateSites(seed);
    std::erase_if(sites, [](const Site& site) { return site.alts.size() > 1; });
    const auto run = [&] {
      return Run({"--ref", WriteSites("p.vcf", sites, 0, kPanelPeople, Form::kJoint, IsAnySite), "--target",
                  WriteSites("s.vcf", sites, 2 * kPanelPeople, kStudyPeople, Form::kJoint, IsTypedSite)});
    };
    const Dosages given = run();
    RandomStream random(seed);
    for (const bool is_all : {true, false}) {
      Dosages expected;
      for (Site& site : sites) {
        const std::string position = std::to_string(site.position);
        const bool is_exchanged = is_all || random.Bernoulli(0.5);
        if (is_exchanged) {
          std::swap(site.ref, site.alts[0]);
          for (uint8_t& allele : site.alleles) allele = 1 - allele;
        }
        std::vector<double> values = given.at({position, "C"});
        if (site.alts[0] == "A") {
          for (double& dosage : values) dosage = 2 - dosage;
        }
        expected[{position, site.alts[0]}] = values;
      }
      EXPECT_LE(MeanDifference(run(), expected), 5e-3) << seed << is_all;
    }
  }
}

}  // namespace
}  // namespace haplospin
