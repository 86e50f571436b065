// Studies of reads: haplospin check, impute and phase of BAM, CRAM and SAM files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/impute_files.h"
#include "core/counted.h"
#include "core/random.h"
#include "genotypes/variant_io/alignment_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr size_t kPeople = 6, kFirstOfPanel = 2 * kPeople;
constexpr int64_t kReadLength = 80;
constexpr int64_t kLength = 1000000;  // of the contig, as VcfText declares

// Some people with one read or none at most markers, and a panel of 45 more.
class ReadsCommandTest : public ImputeFiles {
 protected:
  ReadsCommandTest()
      : people_(SimulateMosaic(
            {.haplotypes = kFirstOfPanel + 90, .markers = 180, .founders = 6, .rare_share = 0, .seed = 3})) {
    RandomStream random(5);
    for (int64_t i = 0; i < kLength; ++i) reference_ += "ACGT"[random.UniformInt(4)];
    for (const Marker& marker : people_.markers) reference_.replace(marker.position - 1, marker.ref.size(), marker.ref);
    WriteFasta(fasta_, "20", reference_);
    for (size_t person = 0; person < kPeople; ++person) {
      names_.push_back(fmt::format("P{}", person));
      files_.push_back(WriteReads(names_.back() + ".bam", Reads(person)));
    }
    panel_ = Write("people.vcf", PanelOfPeople().text());
  }

  VcfText PanelOfPeople(const std::string& contig = "20") const {
    VcfText vcf(DiploidSamples("R", 45).names, {contig});
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      std::string genotypes;
      for (size_t h = kFirstOfPanel; h < people_.alleles.size(); h += 2) {
        genotypes +=
            fmt::format("{}{}|{}", h == kFirstOfPanel ? "" : " ", people_.alleles[h][m], people_.alleles[h + 1][m]);
      }
      const Marker& marker = people_.markers[m];
      vcf.Add(contig, marker.position, marker.ref, marker.alt, genotypes);
    }
    return vcf;
  }

  // Reads of a person around the markers, 1.5 at each on average.
  SamText Reads(size_t person, const std::string& contig = "20") const {
    RandomStream random(20 + person);
    std::vector<SamRead> reads;
    size_t number = 0;
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      for (uint64_t depth = random.UniformInt(4); depth > 0; --depth) {
        const std::vector<uint8_t>& haplotype = people_.alleles[2 * person + random.UniformInt(2)];
        const int64_t first = people_.markers[m].position - static_cast<int64_t>(random.UniformInt(kReadLength));
        reads.push_back(Read(haplotype, first, kReadLength, contig));
        reads.back().name = fmt::format("r{}", number++);
      }
    }
    return Sam(person, contig, std::move(reads));
  }

  SamRead Read(const std::vector<uint8_t>& haplotype, int64_t first, int64_t length, const std::string& contig) const {
    SamRead read{.position = first, .cigar = fmt::format("{}M", length), .contig = contig};
    read.bases = reference_.substr(static_cast<size_t>(first) - 1, static_cast<size_t>(length));
    for (size_t k = 0; k < people_.markers.size(); ++k) {
      const int64_t at = people_.markers[k].position - first;
      if (at >= 0 && at < length && haplotype[k] == 1) read.bases[static_cast<size_t>(at)] = people_.markers[k].alt[0];
    }
    return read;
  }

  static SamText Sam(size_t person, const std::string& contig, std::vector<SamRead> reads) {
    std::ranges::stable_sort(reads, {}, &SamRead::position);
    SamText sam(fmt::format("P{}", person), contig, kLength);
    for (const SamRead& read : reads) sam.Add(read);
    return sam;
  }

  // Reads of a person that begin at the markers, where every second C is T.
  SamText DamagedReads(size_t person) const {
    std::vector<SamRead> reads;
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      for (size_t i = 0; i < 6; ++i) {
        const std::vector<uint8_t>& haplotype = people_.alleles[2 * person + i % 2];
        reads.push_back(Read(haplotype, people_.markers[m].position, kReadLength, "20"));
        reads.back().name = fmt::format("{}_{}", m, i);
        char& first = reads.back().bases[0];
        if (first == 'C' && i < 3) first = 'T';
      }
    }
    return Sam(person, "20", std::move(reads));
  }

  // Reads of a person over kLongRead markers, one at each on average. Cut: each is a read for each marker.
  SamText LongReads(size_t person, bool is_cut) const {
    constexpr size_t kLongRead = 12;
    RandomStream random(40 + person);
    std::vector<SamRead> reads;
    const size_t number = people_.markers.size() / kLongRead;
    for (size_t r = 0; r < number; ++r) {
      const std::vector<uint8_t>& haplotype = people_.alleles[2 * person + random.UniformInt(2)];
      const size_t first = random.UniformInt(people_.markers.size() - kLongRead + 1), last = first + kLongRead - 1;
      const auto add = [&](size_t begin, size_t end) {
        const int64_t position = people_.markers[begin].position;
        reads.push_back(Read(haplotype, position, people_.markers[end].position - position + 1, "20"));
        reads.back().name = fmt::format("{}_{}", r, begin);
      };
      if (!is_cut) add(first, last);
      for (size_t m = first; is_cut && m <= last; ++m) add(m, m);
    }
    return Sam(person, "20", std::move(reads));
  }

  // Mean squared error of DS of the run with reads.
  double ErrorOfLongReads(bool is_cut) const {
    std::vector<std::string> options;
    for (size_t person = 0; person < kPeople; ++person) {
      options.insert(options.end(), {"--target", WriteReads(fmt::format("{}{}.bam", names_[person], is_cut),
                                                            LongReads(person, is_cut))});
    }
    const VcfLines imputed(Records(options));
    double sum = 0;
    for (size_t m = 0; m < imputed.records.size(); ++m) {
      for (size_t s = 0; s < kPeople; ++s) {
        const int alts = people_.alleles[2 * s][m] + people_.alleles[2 * s + 1][m];
        sum += std::pow(std::stod(Field(imputed.records[m], s, "DS")) - alts, 2);
      }
    }
    return sum / static_cast<double>(kPeople * people_.markers.size());
  }

  std::string WriteReads(const std::string& name, const SamText& sam) const {
    WriteAlignments(in_ / name, sam, fasta_);
    if (!name.ends_with(".sam")) IndexAlignments(in_ / name);
    return in_ / name;
  }

  std::string WriteList(const std::string& text) const {
    WriteFile(in_ / "list.txt", text);
    return in_ / "list.txt";
  }

  ProgramResult Run(const std::vector<std::string>& options, const std::string& command = "impute") const {
    std::vector<std::string> all{command, "--ref", panel_, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    return RunProgram(all);
  }

  // The records of a run that succeeds.
  std::string Records(const std::vector<std::string>& options, const std::string& command = "impute") const {
    const ProgramResult result = Run(options, command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string vcf = ReadFile(imputed_path_);
    return vcf.substr(vcf.find("#CHROM"));
  }

  void ExpectError(const std::vector<std::string>& options, const std::string& part) const {
    std::filesystem::remove(imputed_path_);
    ExpectRefused(Run(options), {part});
    EXPECT_FALSE(std::filesystem::exists(imputed_path_));
  }

  std::vector<std::string> Targets() const {
    std::vector<std::string> options;
    for (const std::string& file : files_) options.insert(options.end(), {"--target", file});
    return options;
  }

  double WrongShare(const std::string& records) const {
    const VcfLines imputed(records);
    size_t wrong = 0;
    for (size_t m = 0; m < imputed.records.size(); ++m) {
      for (size_t s = 0; s < kPeople; ++s) {
        const std::string genotype = Field(imputed.records[m], s, "GT");
        const int alts = people_.alleles[2 * s][m] + people_.alleles[2 * s + 1][m];
        wrong += genotype[0] + genotype[2] - 2 * '0' != alts ? 1 : 0;
      }
    }
    EXPECT_EQ(imputed.records.size(), people_.markers.size());
    return static_cast<double>(wrong) / static_cast<double>(kPeople * people_.markers.size());
  }

  const Mosaic people_;
  std::string reference_, panel_;
  const std::string fasta_ = in_ / "reference.fa";
  std::vector<std::string> names_, files_;
};

TEST_F(ReadsCommandTest, ReadsAreImputed) {
  const std::string records = Records(Targets());
  EXPECT_LT(WrongShare(records), 0.08);
  EXPECT_THAT(records, HasSubstr("FORMAT\tP0\tP1\tP2\tP3\tP4\tP5\n"));
  std::vector<std::string> options = Targets();
  options.insert(options.end(), {"--threads", "1"});
  EXPECT_EQ(Records(options), records);
  EXPECT_LT(WrongShare(Records(Targets(), "phase")), 0.08);
  const ProgramResult result = Run(Targets());
  EXPECT_THAT(result.err, HasSubstr("P0.bam and 5 more: reads of 6 samples at 180 sites: mean depth 1."));
}

TEST_F(ReadsCommandTest, SitesOfReadsAreImputed) {
  std::vector<std::string> options = Targets();
  options.insert(options.end(), {"--format", "AD"});
  const VcfLines all(Records(options));
  size_t low = 0, reads = 0;
  for (const auto& record : all.records) {
    EXPECT_THAT(record[kInfo], testing::EndsWith(";IMP"));
    const size_t begin = record[kInfo].find("DR2=") + 4;
    low += std::stod(record[kInfo].substr(begin, record[kInfo].find(';', begin) - begin)) < 0.6 ? 1 : 0;
    for (size_t s = 0; s < kPeople; ++s) {
      const std::string depths = Field(record, s, "AD");
      reads += std::stoul(depths) + std::stoul(depths.substr(depths.find(',') + 1));
    }
  }
  EXPECT_GT(low, 0);
  EXPECT_GT(reads, kPeople * all.records.size());
  EXPECT_EQ(Records(options).find("TYPED"), std::string::npos);
  options.insert(options.end(), {"--min-r2", "0.6"});
  EXPECT_EQ(VcfLines(Records(options)).records.size(), all.records.size() - low);
  const ProgramResult result = Run(options);
  EXPECT_THAT(result.err, HasSubstr("--min-r2 with 6 samples"));
  EXPECT_THAT(result.err, HasSubstr("180 markers imputed from the likelihoods of 180"));
  EXPECT_THAT(result.err, HasSubstr(fmt::format("{} not written, as requested", Counted(low, "marker"))));
}

// A record of two ALTs in the middle of the panel, where a person has three reads of the first ALT and four of the
// second, or also two of REF.
TEST_F(ReadsCommandTest, RecordsOfSeveralAltsAreKept) {
  const size_t m = people_.markers.size() / 2;
  const Marker& marker = people_.markers[m];
  const char third = std::string("ACGT")[std::string("ACGT").find_first_not_of(marker.ref + marker.alt)];
  const std::string alleles = fmt::format("{}\t{}", marker.ref, marker.alt);
  std::string text = PanelOfPeople().text();
  const size_t line = text.find(fmt::format("20\t{}\t", marker.position)), end = text.find('\n', line);
  for (size_t at = text.find("GT\t", line), count = 0; (at = text.find('0', at)) < end; ++at) {
    if (count++ % 3 == 0) text[at] = '2';
  }
  text.insert(text.find(alleles, line) + alleles.size(), fmt::format(",{}", third));
  panel_ = Write("kept.vcf", text);

  std::vector<std::string> options{"--multiallelic", "keep", "--format", "AD"};
  for (size_t person = 0; person < 2; ++person) {
    std::vector<SamRead> reads;
    for (const char base : person == 0 ? marker.alt + std::string(2, marker.alt[0]) + std::string(4, third)
                                       : marker.alt + std::string(2, marker.ref[0]) + third) {
      reads.push_back(Read(people_.alleles[2 * person], marker.position - 3, 20, "20"));
      reads.back().name = fmt::format("r{}", reads.size());
      reads.back().bases[3] = base;
    }
    const std::string name = fmt::format("several{}.bam", person);
    options.insert(options.end(), {"--target", WriteReads(name, Sam(person, "20", std::move(reads)))});
  }
  const auto kept = [&](const VcfLines& lines) {
    const auto& record = lines.At(std::to_string(marker.position));
    return record[kRef] + ">" + record[kAlt];
  };
  const std::string expected = fmt::format("{}>{},{}", marker.ref, marker.alt, third);
  const VcfLines imputed(Records(options));
  EXPECT_EQ(kept(imputed), expected);
  EXPECT_EQ(Field(imputed.At(std::to_string(marker.position)), 0, "AD"), "0,3,4");
  EXPECT_EQ(Field(imputed.At(std::to_string(marker.position)), 1, "AD"), "2,1,1");

  std::vector<std::string> others{"--multiallelic", "keep"};
  for (const std::string& target : Targets()) others.push_back(target);
  EXPECT_EQ(kept(VcfLines(Records(others, "phase"))), expected);
  others.insert(others.begin(), {"impute", "--sites", panel_, "--out", imputed_path_});
  ASSERT_EQ(RunProgram(others).exit_code, 0);
  EXPECT_EQ(kept(VcfLines(ReadFile(imputed_path_))), expected);
}

TEST_F(ReadsCommandTest, DamageIsEstimatedFromTheReads) {
  const std::string file = WriteReads("old.bam", DamagedReads(0));
  const auto err = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"--target", file, "--target", files_[1]};
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = Run(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string log = out_ / "log.txt";
  EXPECT_THAT(err({"--log", log}), HasSubstr("reads of 1 sample have damage of ancient DNA"));
  EXPECT_THAT(ReadFile(log), HasSubstr("errors of the reads of P0: C to T in"));
  EXPECT_THAT(ReadFile(log), Not(HasSubstr("errors of the reads of P1")));
  const std::string modeled = ReadFile(imputed_path_);
  EXPECT_THAT(err({"--no-error-model"}), Not(HasSubstr("have damage of ancient DNA")));
  EXPECT_NE(VcfLines(ReadFile(imputed_path_)).records, VcfLines(modeled).records);
  EXPECT_THAT(
      RunProgram({"check", "--ref", panel_, "--target", file, "--target", files_[1], "--html", out_ / "c.html"}).out,
      HasSubstr("1 sample (P0) with damage of ancient DNA: C is T in"));
  const std::string page = ReadFile(out_ / "c.html");
  EXPECT_THAT(page, HasSubstr("Damage of ancient DNA"));
  EXPECT_THAT(page, HasSubstr("First bases of a read"));
  EXPECT_THAT(page, HasSubstr("Last bases of a read"));
  err({"--region", "20:1-300000"});  // the model is that of the whole contig
  const VcfLines part(ReadFile(imputed_path_)), all(modeled);
  ASSERT_FALSE(part.records.empty());
  EXPECT_LT(part.records.size(), all.records.size());
  for (size_t m = 0; m + 40 < part.records.size(); ++m) {
    EXPECT_EQ(part.records[m][kInfo + 2], all.records[m][kInfo + 2]);
  }
}

// Each is of one haplotype, which its alleles at other markers tell more of than their likelihoods do alone.
TEST_F(ReadsCommandTest, LongReadsAreKeptTogether) {
  EXPECT_LT(ErrorOfLongReads(/*is_cut=*/false), 0.8 * ErrorOfLongReads(/*is_cut=*/true));
}

TEST_F(ReadsCommandTest, ListsAndFormsOfFilesDoNotMatter) {
  const std::string records = Records(Targets());
  const std::string cram = WriteReads("P0.cram", Reads(0)), sam = WriteReads("P1.sam", Reads(1));
  const std::string chr = WriteReads("chr.bam", Reads(2, "chr20"));
  const std::string list =
      WriteList(fmt::format("{}\n{}\tP1\n{}\n{}\n{}\n{}\n", cram, sam, chr, files_[3], files_[4], files_[5]));
  EXPECT_EQ(Records({"--target-list", list, "--fasta", fasta_}), records);
}

TEST_F(ReadsCommandTest, ARegionHasTheBytesOfTheContig) {
  std::vector<std::string> options = Targets();
  const int64_t begin = people_.markers[60].position, end = people_.markers[120].position;
  const std::string all = Records(options);
  options.insert(options.end(), {"--region", fmt::format("20:{}-{}", begin, end)});
  const std::string part = Records(options);
  const size_t first = part.find('\n') + 1;
  EXPECT_EQ(VcfLines(part).records.size(), 61);
  EXPECT_THAT(all, HasSubstr(part.substr(first)));
  EXPECT_THAT(Run(options).err, HasSubstr("reads of 6 samples at 61 sites: mean depth "));
  options.insert(options.end(), {"--window", "0.3", "--overlap", "0.1", "--memory", "64M"});
  const std::string short_windows = Records(options);
  options.erase(options.end() - 8, options.end() - 6);
  EXPECT_THAT(Records(options), HasSubstr(short_windows.substr(first)));
}

// Reads of contig 20 are also those of 21 and, where there is no panel, of 19; 22 has a panel, but no reads.
TEST_F(ReadsCommandTest, AGenomeInOneCommand) {
  SamText sam("P0", "19", kLength);
  for (const char* contig : {"20", "21", "22"}) sam.AddLine(fmt::format("@SQ\tSN:{}\tLN:{}", contig, kLength));
  for (const char* contig : {"19", "20", "21"}) {
    const std::string text = Reads(0, contig).text();
    const size_t first = text.find('\n', text.rfind("\n@") + 1) + 1;  // after the header
    sam.AddLine(text.substr(first, text.size() - first - 1));
  }
  const std::string reads = WriteReads("genome.bam", sam);
  for (const char* contig : {"20", "21", "22"}) {
    Write(fmt::format("panel.chr{}.vcf", contig), PanelOfPeople(contig).text());
  }
  const std::string out = out_ / "imputed.{contig}.vcf";
  const auto impute = [&](const std::string& panel, const std::string& output) {
    return RunProgram({"impute", "--target", reads, "--ref", in_ / panel, "--out", output});
  };
  const ProgramResult result = impute("panel.chr{contig}.vcf", out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("2 contigs: "));
  for (const std::string contig : {"20", "21"}) {
    const std::string vcf = ReadFile(out_ / fmt::format("imputed.{}.vcf", contig));
    EXPECT_EQ(impute(fmt::format("panel.chr{}.vcf", contig), imputed_path_).exit_code, 0);
    const std::string alone = ReadFile(imputed_path_);
    EXPECT_EQ(vcf.substr(vcf.find("#CHROM")), alone.substr(alone.find("#CHROM")));
  }
  EXPECT_FALSE(std::filesystem::exists(out_ / "imputed.22.vcf"));

  const auto resume = [&] {
    return RunProgram({"impute", "--target", reads, "--ref", in_ / "panel.chr{contig}.vcf", "--out", out, "--resume"});
  };
  EXPECT_THAT(resume().err, HasSubstr("2 contigs, 2 kept from an earlier run"));
  WriteReads("genome.bam", sam.Add({.position = kLength - 10, .cigar = "1M", .bases = "A", .contig = "21"}));
  EXPECT_THAT(resume().err, HasSubstr("imputed.21.vcf: of other inputs or settings; made again"));

  const ProgramResult listed = RunProgram({"impute", "--target", reads, "--target", files_[1], "--sites",
                                           in_ / "panel.chr{contig}.vcf", "--out", out});  // without a panel
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.err, HasSubstr("2 contigs: "));
}

TEST_F(ReadsCommandTest, ReadsDoNotTellWhoIsMale) {
  const std::string reads = WriteReads("x.bam", Reads(0, "X")), panel = Write("x.vcf", PanelOfPeople("X").text());
  const auto impute = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"impute", "--ref", panel, "--target", reads, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(impute({}), HasSubstr("all are imputed with two alleles on X"));
  EXPECT_THAT(impute({"--sex", Write("sex.fam", "F P0 0 0 1 -9\n")}), Not(HasSubstr("two alleles")));
  EXPECT_THAT(Run(Targets()).err, Not(HasSubstr("two alleles")));
}

TEST_F(ReadsCommandTest, SitesWithoutAPanel) {
  std::vector<std::string> options{"impute", "--sites", panel_, "--out", imputed_path_};
  for (const std::string& target : Targets()) options.push_back(target);
  const ProgramResult result = RunProgram(options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string vcf = ReadFile(imputed_path_);
  EXPECT_EQ(VcfLines(vcf).records.size(), people_.markers.size());

  // A list without genotypes.
  std::string sites = "##fileformat=VCFv4.2\n##contig=<ID=20>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  for (const Marker& marker : people_.markers) {
    sites += fmt::format("20\t{0}\trs{0}\t{1}\t{2}\t.\t.\t.\n", marker.position, marker.ref, marker.alt);
  }
  options[2] = Write("sites.vcf", sites);
  EXPECT_EQ(RunProgram(options).exit_code, 0);
  const std::string listed = ReadFile(imputed_path_);
  EXPECT_EQ(listed.substr(listed.find("#CHROM")), vcf.substr(vcf.find("#CHROM")));
  options.erase(options.begin() + 1, options.begin() + 3);
  EXPECT_THAT(RunProgram(options).err, HasSubstr("reads need the sites to look at"));
}

// A genome of two species: the contig that is named as in the panel counts.
TEST_F(ReadsCommandTest, TwoContigsOfOneNumber) {
  const std::string text = Reads(0).text();
  const size_t first = text.find("\nr") + 1;
  SamText sam("P0", "chr20", kLength);
  sam.AddLine("@SQ\tSN:20\tLN:1000000").AddLine(text.substr(first, text.size() - first - 1));
  EXPECT_EQ(Records({"--target", WriteReads("two.bam", sam)}), Records({"--target", files_[0]}));
}

TEST_F(ReadsCommandTest, BasesBelowTheLeastQualityAreSaid) {
  SamText sam("Q", "20", kLength);
  for (const Marker& marker : people_.markers) {
    sam.Add({.position = marker.position, .cigar = "1M", .bases = marker.ref, .qualities = ")"});
  }
  const std::string poor = WriteReads("q8.bam", sam);
  const std::string expected = "1 sample (Q) with 100 % of the bases at the sites below --min-baseq 10";
  EXPECT_THAT(Run({"--target", poor, "--target", files_[0]}).err, HasSubstr(expected));
  EXPECT_THAT(Run({"--target", poor, "--min-baseq", "5"}).err, Not(HasSubstr("below --min-baseq")));
  EXPECT_THAT(RunProgram({"check", "--ref", panel_, "--target", poor, "--target", files_[0]}).out, HasSubstr(expected));
}

// The panel of a mitochondrion, of yeast or of drones.
TEST_F(ReadsCommandTest, AHaploidPanelDecidesThePloidy) {
  VcfText vcf(DiploidSamples("R", 90).names, {"20"});
  for (size_t m = 0; m < people_.markers.size(); ++m) {
    std::string genotypes;
    for (size_t h = kFirstOfPanel; h < people_.alleles.size(); ++h) {
      genotypes += fmt::format("{}{}", h == kFirstOfPanel ? "" : " ", people_.alleles[h][m]);
    }
    vcf.Add("20", people_.markers[m].position, people_.markers[m].ref, people_.markers[m].alt, genotypes);
  }
  const std::string haploid = Write("haploid.vcf", vcf.text());
  SamText sam("H", "20", kLength);
  size_t number = 0;
  for (const Marker& marker : people_.markers) {
    SamRead read = Read(people_.alleles[0], marker.position, 20, "20");
    read.name = fmt::format("r{}", number++);
    sam.Add(read);
  }
  const std::string reads = WriteReads("h.bam", sam);
  const auto genotypes = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"impute", "--ref", haploid, "--target", reads, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::string texts;
    for (const auto& record : VcfLines(ReadFile(imputed_path_)).records) texts += Field(record, 0, "GT");
    return texts;
  };
  std::string expected;
  for (size_t m = 0; m < people_.markers.size(); ++m) expected += people_.alleles[0][m] == 1 ? '1' : '0';
  const std::string found = genotypes({});
  ASSERT_EQ(found.size(), expected.size());
  size_t wrong = 0;
  for (size_t m = 0; m < found.size(); ++m) wrong += found[m] != expected[m] ? 1 : 0;
  EXPECT_LE(20 * wrong, found.size());
  EXPECT_EQ(genotypes({"--ploidy", "1"}), found);
  EXPECT_EQ(genotypes({"--ploidy", "2"}).size(), 3 * people_.markers.size());
}

TEST_F(ReadsCommandTest, ReadsOnOtherContigs) {
  const std::string other = WriteReads("o.bam", Reads(0, "NC_044187.1"));
  const std::string expected = "none of its contigs (NC_044187.1) is in ";
  ExpectError({"--target", other}, expected);
  EXPECT_THAT(Run({"--target", other}).err, HasSubstr("which has 20; give the sites of these contigs, or rename those "
                                                      "of the reads (samtools reheader)"));
  const ProgramResult check = RunProgram({"check", "--ref", panel_, "--target", other});
  EXPECT_EQ(check.exit_code, 3);
  EXPECT_THAT(check.out, HasSubstr(expected));
  std::string refseq = Records({"--target", WriteReads("refseq.bam", Reads(0, "NC_000020.11"))});
  for (size_t at = 0; (at = refseq.find("NC_000020.11")) != std::string::npos;) refseq.replace(at, 12, "20");
  EXPECT_EQ(refseq, Records({"--target", files_[0]}));
}

// One BAM file of several people is what a file of each is.
TEST_F(ReadsCommandTest, OneFileOfAllPeople) {
  SamText sam("", "20", kLength);
  std::vector<std::pair<int64_t, std::string>> lines;
  for (size_t person = 0; person < kPeople; ++person) {
    sam.AddLine(fmt::format("@RG\tID:g{0}\tSM:P{0}", person));
    const std::string text = Reads(person).text();
    for (size_t begin = text.find("\nr") + 1, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      size_t at = 0;
      for (int column = 0; column < 3; ++column) at = line.find('\t', at) + 1;
      lines.emplace_back(std::stoll(line.substr(at)), fmt::format("{}\tRG:Z:g{}", line, person));
    }
  }
  std::ranges::stable_sort(lines, {}, &std::pair<int64_t, std::string>::first);
  for (const auto& line : lines) sam.AddLine(line.second);
  const std::string all = WriteReads("all.bam", sam);
  EXPECT_EQ(Records({"--target", all}), Records(Targets()));
  EXPECT_THAT(Run({"--target", all}).err, HasSubstr("all.bam: reads of 6 people by their read groups (P0, P1, P2 and"));
  EXPECT_THAT(Records({"--target-list", WriteList(all + " ONE\n")}), HasSubstr("FORMAT\tONE\n"));

  for (const int64_t position : {people_.markers.back().position - 9, people_.markers.back().position - 8}) {
    sam.AddLine(fmt::format("n\t0\t20\t{}\t60\t20M\t*\t0\t0\t{}\t*", position, std::string(20, 'A')));
  }
  const std::string nobody = WriteReads("nobody.bam", sam);
  constexpr const char* kNobody = "2 reads of files of several people with no read group (RG) of the header";
  EXPECT_THAT(Run({"--target", nobody}).err, HasSubstr(kNobody));
  EXPECT_THAT(RunProgram({"check", "--ref", panel_, "--target", nobody}).out, HasSubstr(kNobody));
}

TEST_F(ReadsCommandTest, DuplicatesAreKeptIfAsked) {
  std::string text = Reads(0).text();
  for (size_t at = text.find("\t0\t20\t"); at != std::string::npos; at = text.find("\t0\t20\t", at)) {
    text.replace(at, 3, "\t1024\t");
  }
  SamText sam("P0", "20", kLength);
  const size_t first = text.find("\nr") + 1;
  const std::string marked = WriteReads("d.bam", sam.AddLine(text.substr(first, text.size() - first - 1)));
  EXPECT_EQ(Records({"--target", marked, "--keep-duplicates"}), Records({"--target", files_[0]}));
  EXPECT_THAT(RunProgram({"check", "--ref", panel_, "--target", marked}).out,
              testing::ContainsRegex("100 % of the reads at the sites left out \\([0-9]+ duplicates\\)"));
}

TEST_F(ReadsCommandTest, ASelfTestHidesReadsAndChangesNothing) {
  const std::string table = out_ / "table.tsv";
  const std::vector<std::string> people{"--target", files_[0], "--target", files_[1]};
  std::vector<std::string> tested = people;
  tested.insert(tested.end(), {"--self-test", table});
  EXPECT_EQ(Records(tested), Records(people));
  EXPECT_THAT(ReadFile(table), testing::ContainsRegex("\nP0\t0\t0.5\t.*\t[1-9][0-9]*\t[01].[0-9]+\n"));
}

TEST_F(ReadsCommandTest, ACheckOfARegion) {
  const std::string region = fmt::format("20:{}-{}", people_.markers[60].position, people_.markers[120].position);
  const auto check = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"check", "--ref", panel_, "--target", files_[0], "--json", "-"};
    all.insert(all.end(), options.begin(), options.end());
    return nlohmann::json::parse(RunProgram(all).out);
  };
  EXPECT_EQ(check({})["sites"]["total"], people_.markers.size());
  EXPECT_EQ(check({"--region", region})["sites"]["total"], 61);
  EXPECT_EQ(check({"--region", "chr20"})["sites"]["total"], people_.markers.size());
  EXPECT_THAT(RunProgram({"check", "--target", study_path_, "--region", region}).err,
              HasSubstr("--region is for reads"));
}

TEST_F(ReadsCommandTest, PeopleWithoutReads) {
  const std::string empty = WriteReads("empty.bam", SamText("E", "20", kLength));
  std::vector<std::string> options = Targets();
  options.insert(options.end(), {"--target", empty});
  const ProgramResult result = Run(options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("empty.bam: has no reads"));
  EXPECT_THAT(result.err, HasSubstr("1 sample without any genotype (E)"));
  ExpectError({"--target", empty}, "");
}

// As batches of a study.
TEST_F(ReadsCommandTest, SomeSamples) {
  std::vector<std::string> options = Targets();
  Write("some.txt", "P4\nP1\n");
  options.insert(options.end(), {"--samples", in_ / "some.txt"});
  const std::string some = Records(options);
  EXPECT_THAT(some, HasSubstr("FORMAT\tP1\tP4\n"));
  EXPECT_EQ(some, Records({"--target", files_[1], "--target", files_[4]}));
  Write("some.txt", "P9\n");
  ExpectError(options, "P9");
}

TEST_F(ReadsCommandTest, TheirCheck) {
  std::vector<std::string> options{"check", "--ref", panel_, "--html", out_ / "c.html", "--json", out_ / "c.json"};
  options.insert(options.end(), {"--multiqc", out_ / "c"});
  for (const std::string& option : Targets()) options.push_back(option);
  const ProgramResult result = RunProgram(options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("P0.bam and 5 more: 6 samples in 6 files"));
  EXPECT_THAT(result.out, testing::ContainsRegex("\nP5 +1\\.[0-9]+ +[0-9.]+ +100.0 +0.00\n"));
  EXPECT_THAT(result.out, HasSubstr("Verdict: ready to impute\n"));
  const auto json = nlohmann::json::parse(ReadFile(out_ / "c.json"));
  EXPECT_EQ(json["sites"]["total"], people_.markers.size());
  EXPECT_EQ(json["per_sample"].size(), kPeople);
  EXPECT_EQ(json["per_sample"][0]["sample"], "P0");
  EXPECT_NEAR(json["reads"]["depth"], 1.6, 0.3);
  EXPECT_THAT(ReadFile(out_ / "c.html"), HasSubstr("Verdict: ready to impute"));
  EXPECT_THAT(ReadFile(out_ / "c.check_mqc.json"), HasSubstr("haplospin_reads"));
  EXPECT_THAT(RunProgram({"check", "--ref", panel_, "--target", files_[0], "--fix", out_ / "f.vcf"}).err,
              HasSubstr("check: --fix is not for reads"));
  EXPECT_THAT(RunProgram({"check", "--target", files_[0]}).err, HasSubstr("give a panel (--ref)"));
  const std::string empty = WriteReads("empty.bam", SamText("E", "20", kLength));
  EXPECT_EQ(RunProgram({"check", "--ref", panel_, "--target", empty}).exit_code, 3);
}

TEST_F(ReadsCommandTest, FewFilesAreOpenAtATime) {
  std::string list;
  for (int copy = 0; copy < 60; ++copy) {
    const std::string path = in_ / fmt::format("{}.bam", copy);
    std::filesystem::copy_file(files_[0], path);
    std::filesystem::copy_file(files_[0] + ".bai", path + ".bai");
    list += fmt::format("{} N{}\n", path, copy);
  }
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{40, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  const std::string records = Records({"--target-list", WriteList(list), "--threads", "2", "--region", "20:1-100000"});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(records, HasSubstr("\tN59\n"));
}

TEST_F(ReadsCommandTest, InvalidInput) {
  ExpectError({}, "impute: --target is missing");
  ExpectError({"--target", files_[0], "--target-list", WriteList(files_[1])}, "cannot be combined");
  ExpectError({"--target", files_[0], "--target", panel_},
              "--target has 1 file with aligned reads, and 1 with other genotypes");
  ExpectError({"--target", study_path_, "--min-mapq", "20"}, "--min-mapq is for reads");
  ExpectError({"--target", files_[0], "--likelihoods", "PL"}, "--likelihoods is for genotypes of a caller");
  ExpectError({"--target", files_[0], "--model", weights_path_}, "--model is for genotypes that are called");
  ExpectError({"--target", files_[0], "--min-mapq", "-1"}, "--min-mapq");
  ExpectError({"--target", files_[0], "--pedigree", "f.fam"},
              "--pedigree phases genotypes that are called; remove it, as reads are used by their likelihoods");
  EXPECT_THAT(RunProgram({"impute", "--ref", panel_, "--target", "-", "--out", imputed_path_}, ReadFile(files_[0])).err,
              HasSubstr("cannot be read from standard input or a pipe, as reads are needed by place; write them to a"));
  ExpectError({"--target-list", WriteList(files_[0] + "\n" + files_[1] + " P0\n")}, "second person with the name P0");
  ExpectRefused(RunProgram({"impute", "--ref", panel_, "--target-list", WriteList(files_[0]), "--out", files_[0],
                            "--output-type", "v"}),
                {"P0.bam: given as input and as output"});
  std::filesystem::remove(files_[0] + ".bai");
  ExpectError({"--target", files_[0]}, "P0.bam: has no index");
  const std::string bytes = ReadFile(files_[1]);
  WriteFile(files_[1], bytes.substr(0, bytes.size() / 2));
  ExpectError({"--target", files_[1]}, "P1.bam: truncated");
  const std::string other = in_ / "other.fa";
  WriteFasta(other, "20", std::string(kLength, 'A'));
  ExpectError({"--target", files_[2], "--fasta", other}, "other.fa: REF of ");
  ExpectError({"--target", WriteReads("21.bam", SamText("A", "21", 1000))}, "");
}

}  // namespace
}  // namespace haplospin
