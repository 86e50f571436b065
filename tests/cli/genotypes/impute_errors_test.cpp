// haplospin impute with invalid input: one line, exit code 2, no output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "cli/impute_files.h"
#include "core/safetensors.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ImputeErrorsTest : public ImputeFiles {
 protected:
  // The study, or the panel, with one record changed.
  std::string WriteWithRecord(const std::string& name, const VcfText& vcf, const std::string& from,
                              const std::string& to) const {
    std::string text = vcf.text();
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return Write(name, text.replace(at, from.size(), to));
  }

  static std::string RecordsOf(const std::string& text) {
    return text.substr(text.find('\n', text.find("#CHROM")) + 1);
  }

  std::string WriteMarkers(const Mosaic& mosaic) const {
    return Write("study.vcf", MosaicVcf(mosaic, study_, 40, typed_).text());
  }
};

TEST_F(ImputeErrorsTest, OptionsAreCheckedFirst) {
  // With files that do not exist: options are checked first.
  const std::string absent = in_ / "absent";
  const auto expect = [&](std::vector<std::string> options, const std::string& message) {
    options.insert(options.end(), {"--ref", absent, "--target", absent, "--model", absent});
    ExpectUserError(options, {"impute: ", message});
  };
  expect({"--reff", "x"}, "unknown option --reff; did you mean --ref?");
  expect({"--frobnicate"}, "unknown option --frobnicate");
  expect({"--window", "0"}, "--window is '0', but must be a number from 0.1 to 1000");
  expect({"--window", "wide"}, "--window is 'wide'");
  expect({"--overlap", "-1"}, "--overlap is '-1'");
  expect({"--overlap", "nan"}, "--overlap is 'nan'");
  expect({"--threads", "0"}, "--threads is '0'");
  expect({"--output-type", "x"}, "--output-type is 'x', but must be one of auto, v, z, u, b");
  expect({"--format", "PL"}, "--format is 'PL', but must be GP, HDS, AP, PPH or AD");
  expect({"--device", "tpu"}, "--device is 'tpu', but must be auto, cpu, cuda or cuda:N");
  expect({"--write-index"}, "--write-index needs VCF.gz, BCF or BGEN output");
  expect({"--write-index", "--quiet", "--quiet"}, "--quiet is given more than once");
  expect({"extra"}, "unexpected argument 'extra'");
  expect({"--sites-only", "--format", "GP"}, "--sites-only writes no genotypes");
}

TEST_F(ImputeErrorsTest, OptionsThatAreMissing) {
  for (const std::string missing : {"target", "out"}) {
    std::vector<std::string> arguments{"impute"};
    for (const std::string name : {"ref", "target", "out"}) {
      if (name != missing) arguments.insert(arguments.end(), {"--" + name, "x"});
    }
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "haplospin: error: impute: --" + missing + " is missing (see haplospin impute --help)\n");
  }
}

TEST_F(ImputeErrorsTest, FilesThatCannotBeRead) {
  const std::string text = Write("text.txt", "not genotypes\n");
  const std::string empty = Write("empty.vcf", "");
  const std::string sites = Write("sites.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n");
  for (const std::string option : {"--ref", "--target"}) {
    ExpectUserError({option, in_ / "absent.vcf"}, {"absent.vcf: cannot open: No such file or directory"});
    ExpectUserError({option, text}, {text + ": not a VCF or BCF file"});
    ExpectUserError({option, empty}, {empty + ": the file is empty"});
    ExpectUserError({option, sites}, {sites + ": has no samples"});
    ExpectUserError({option, in_.path().string()}, {in_.path().string(), "folder"});
  }
  ExpectUserError({"--target", panel_path_}, {"give two different files"});
}

TEST_F(ImputeErrorsTest, TruncatedFiles) {
  WriteVariants(in_ / "panel.vcf.gz", PanelVcf(), FileForm::kBgzip);
  WriteVariants(in_ / "study.bcf", StudyVcf(), FileForm::kBcf);
  for (const auto& [option, name] : {std::pair("--ref", "panel.vcf.gz"), {"--target", "study.bcf"}}) {
    const std::string path = in_ / name;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 28);  // the closing block
    ExpectUserError({option, path}, {path + ": truncated: the closing BGZF block is missing"});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) * 9 / 10);
    ExpectUserError({option, path}, {path + ": truncated"});
  }
}

TEST_F(ImputeErrorsTest, UnsortedRecords) {
  const std::vector<uint32_t> swapped{5, 4, 6, 7};
  const std::string panel = Write("p.vcf", MosaicVcf(mosaic_, reference_, 0, swapped).text());
  const std::string study = Write("s.vcf", MosaicVcf(mosaic_, study_, 40, swapped).text());
  ExpectUserError({"--ref", panel}, {panel + ": 20:100000: comes after position 120000", "bcftools sort"});
  ExpectUserError({"--target", study}, {study + ": 20:100000: comes after position 120000", "bcftools sort"});
}

TEST_F(ImputeErrorsTest, GenotypesThatCannotServe) {
  VcfText panel(reference_.names, {"20"}), study(study_.names, {"20"});
  const auto with = [&](const std::string& first, size_t samples) {
    std::string text = first;
    for (size_t s = 1; s < samples; ++s) text += " 0|1";
    return text;
  };
  const auto expect = [&](const std::string& genotype, bool in_panel, const std::string& message) {
    const SampleTable& samples = in_panel ? reference_ : study_;
    VcfText vcf(samples.names, {"20"});
    AddMosaic(mosaic_, samples, in_panel ? 0 : 40, {{0, 1, 2}}, "20", vcf);
    vcf.Add("20", 70'000, "A", "C", with(genotype, samples.num_samples()));
    vcf.Add("20", 71'000, "A", "C", with("0/1", samples.num_samples()));
    const std::string path = Write("changed.vcf", vcf.text());
    ExpectUserError({in_panel ? "--ref" : "--target", path}, {path + ": 20:70000: " + message});
  };
  expect("0/1", true, "sample R0 has the unphased genotype 0/1, one of 2; phase the file first");
  expect(".|.", true,
         "sample R0 has a missing allele, the first of 2 (1.2 % of the alleles, at 1 of the first 4 records)");
  expect("1", true, "sample R0 has one allele here, but two at position 20000");
  expect("1", false, "sample S0 has one allele here, but two at position 20000");
  expect("0|2", true, "sample R0 has allele 2, but the record has 1 ALT");
  expect("0|1|1", false, "sample S0 has 3 alleles");
}

TEST_F(ImputeErrorsTest, PanelAndStudyExchanged) {
  ExpectUserError({"--ref", study_path_, "--target", panel_path_, "--min-ratio", "0.5"},
                  {"check that --ref and --target are not exchanged"});
}

TEST_F(ImputeErrorsTest, AContigThatThePanelLacks) {
  Write("study.vcf", StudyVcf("7").text());
  ExpectUserError({}, {study_path_ + ": none of its contigs (7) is in the panel " + panel_path_ + ", which has 20"});
}

// It is imputed where both have a contig.
TEST_F(ImputeErrorsTest, AStudyOfFurtherContigs) {
  const std::string study = StudyVcf().text();
  const size_t first = study.size() - RecordsOf(study).size();
  const std::string before = RecordsOf(StudyVcf("2").text()), after = RecordsOf(StudyVcf("X").text());
  const std::string several = Write("several.vcf", study.substr(0, first) + before + RecordsOf(study) + after);
  const ProgramResult result = Impute({"--target", several});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, testing::HasSubstr("several.vcf: left out, because the panel " + panel_path_ +
                                             " does not have them: contigs 2, X\n"));
  const VcfLines imputed(ReadFile(imputed_path_));
  EXPECT_EQ(imputed.records.size(), 120u);
  for (const auto& record : imputed.records) ASSERT_EQ(record[0], "20");
}

TEST_F(ImputeErrorsTest, WhatIsImputedWithoutAnyInformationIsSaid) {
  std::string missing = StudyVcf().text();
  for (const std::string genotype : {"0|0", "0|1", "1|0", "1|1"}) {
    for (size_t at = 0; (at = missing.find(genotype, at)) != std::string::npos;) missing.replace(at, 3, ".|.");
  }
  EXPECT_THAT(Impute({"--target", Write("missing.vcf", missing)}).err,
              testing::HasSubstr("missing.vcf: all genotypes of contig 20 are missing"));
  EXPECT_THAT(Impute({"--target", panel_path_, "--ref", Write("other.vcf", PanelVcf().text())}).err,
              testing::HasSubstr("so nothing was imputed; check that --ref and --target are not exchanged"));

  std::string gaps = PanelVcf().text();
  gaps.replace(gaps.rfind("0|0"), 3, ".|.");
  EXPECT_THAT(
      Impute({"--target", Write("gaps.vcf", gaps)}).err,
      testing::AllOf(testing::HasSubstr("0 markers imputed, 120 typed (1 with missing genotypes, imputed as well)"),
                     testing::Not(testing::HasSubstr("so nothing was imputed"))));
}

TEST_F(ImputeErrorsTest, AStudyWithoutRecords) {
  Write("study.vcf", VcfText(study_.names).text());
  ExpectUserError({}, {study_path_ + ": no records"});
  Write("study.vcf", StudyVcf().text());
  Write("panel.vcf", VcfText(reference_.names).text());
  ExpectUserError({}, {panel_path_});
}

// With a guess at the reason.
TEST_F(ImputeErrorsTest, NoSharedSite) {
  const std::string sites = std::to_string(typed_.size());
  const std::string counts = "no typed site is shared: " + study_path_ + " has " + sites + " sites (contigs 20), " +
                             panel_path_ + " has 120 (contigs 20), and ";
  Mosaic mosaic = mosaic_;
  for (Marker& marker : mosaic.markers) marker.position += 3;
  WriteMarkers(mosaic);
  ExpectUserError({}, {counts + "0 study sites are at a panel position", "probably different genome builds"});
  mosaic = mosaic_;
  for (Marker& marker : mosaic.markers) std::swap(marker.ref, marker.alt);
  WriteMarkers(mosaic);
  ExpectUserError({}, {counts + sites, "REF and ALT are swapped (20:", "haplospin check --fix"});
  mosaic = mosaic_;
  for (Marker& marker : mosaic.markers) {
    if (marker.ref == "A") marker.ref = "T", marker.alt = "C";
    if (marker.ref == "C") marker.ref = "C", marker.alt = "T";
  }
  for (const uint32_t m : typed_) {
    if (mosaic.markers[m].ref == "C") mosaic.markers[m].position += 3;
  }
  WriteMarkers(mosaic);
  ExpectUserError({}, {"alleles are those of the other strand (20:", "haplospin check --fix"});
  mosaic = mosaic_;
  for (Marker& marker : mosaic.markers) marker.alt = "AAA";
  WriteMarkers(mosaic);
  ExpectUserError({}, {counts + sites, "alleles differ at the same positions"});
}

TEST_F(ImputeErrorsTest, MapsThatDoNotServe) {
  const auto expect = [&](const std::string& text, const std::string& message) {
    const std::string path = Write("bad.map", text);
    ExpectUserError({"--map", path}, {path + ": " + message});
  };
  expect("7 a 0 1\n7 b 1 1000000\n", "no row for contig 20; it has rows for 7");
  expect("20 a 0 1000\n20 b 1 900\n", "line 2: 900 bp, 1 cM comes after 1000 bp, 0 cM; sort the map");
  expect("20 a 1 1000\n20 b 0 1100\n", "line 2: 1100 bp, 0 cM comes after 1000 bp, 1 cM; cM must not decrease");
  expect("20 a 5 1000\n20 b 4 2000\n", "line 2: 2000 bp, 4 cM comes after 1000 bp, 5 cM");
  expect("20 a zero 1\n", "line 1: \"zero\" is not a position in cM");
  expect("", "empty");
  expect("a b\n", "line 1: not a genetic map");
  ExpectUserError({"--map", in_ / "absent.map"}, {"absent.map: cannot open"});
}

TEST_F(ImputeErrorsTest, WeightsThatDoNotServe) {
  const auto expect = [&](const std::string& message) { ExpectUserError({}, {weights_path_, message}); };
  Safetensors file = ToSafetensors(RandomWeights(1));
  file.metadata["version"] = "0";
  WriteSafetensors(weights_path_, file);
  expect("found an imputer model of version 0");
  file.metadata["version"] = "1";
  file.metadata["kind"] = "resnet";
  WriteSafetensors(weights_path_, file);
  expect("found a model of the kind 'resnet', but expected an imputer model");
  WriteSafetensors(weights_path_, ToSafetensors(RandomWeights(1)));
  std::filesystem::resize_file(weights_path_, std::filesystem::file_size(weights_path_) - 8);
  expect("not a complete safetensors file");
  Write("weights.safetensors", "garbage");
  expect("not a complete safetensors file");
  ExpectUserError({"--model", in_ / "absent.safetensors"}, {"absent.safetensors: no such file"});
}

// A few positions of another genome build agree by chance.
TEST_F(ImputeErrorsTest, AStudyOfAnotherBuild) {
  Mosaic shifted = mosaic_;
  for (size_t m = 0; m < shifted.markers.size(); ++m) shifted.markers[m].position += m % 20 == 0 ? 0 : 7;
  const std::string target = Write("shifted.vcf", MosaicVcf(shifted, study_, 40, AllMarkers(shifted)).text());
  ExpectUserError({"--target", target},
                  {target + ": only 6 of its 119 sites on contig 20 (5 %) are in the panel " + panel_path_,
                   "probably because of different genome builds", "--min-ratio"});
  EXPECT_EQ(Impute({"--target", target, "--min-ratio", "0.04"}).exit_code, 0);
}

TEST_F(ImputeErrorsTest, AStudyOfASmallPartOfThePanel) {
  const std::string target =
      Write("part.vcf", MosaicVcf(mosaic_, study_, 40, std::vector<uint32_t>{50, 52, 55}).text());
  ExpectUserError({"--target", target},
                  {"its sites in the panel (3) span 0.1 of the panel's 2.38 Mb of contig 20 (4.2 %)",
                   "impute --region 20:1020000-1120000"});
  EXPECT_EQ(Impute({"--target", target, "--region", "20:1020000-1120000"}).exit_code, 0);
}

// It does not end the run of the contigs beside it.
TEST_F(ImputeErrorsTest, AScaffoldOfFewSites) {
  const std::vector<uint32_t> few{50, 52, 55};
  const std::string study =
      Write("s.vcf", StudyVcf().text() + RecordsOf(MosaicVcf(mosaic_, study_, 40, few, "s1").text()));
  const std::vector<uint32_t> all = AllMarkers(mosaic_);
  const std::string panel = Write("p.vcf", MosaicVcf(mosaic_, reference_, 0, all).text() +
                                               RecordsOf(MosaicVcf(mosaic_, reference_, 0, all, "s1").text()));
  const ProgramResult result = Impute({"--target", study, "--ref", panel});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              testing::HasSubstr("s.vcf: its sites in the panel (3) span 0.1 of the panel's 2.38 Mb of "
                                 "contig s1 (4.2 %), so most markers would be far from any typed site; what "
                                 "is imputed on this contig is unreliable (INFO/DR2)\n"));
  EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records.size(), 240u);
  EXPECT_THAT(RunProgram({"check", "--ref", panel, "--target", study}).out,
              testing::Not(testing::HasSubstr("do not impute")));
}

TEST_F(ImputeErrorsTest, AMapOfAnotherPlace) {
  ExpectUserError({"--map", Write("far.map", "20 . 1 5000000\n20 . 2 6000000\n")},
                  {"far.map: does not cover contig 20: the map is of 5000000-6000000, the panel"});
  const ProgramResult result = Impute({"--map", Write("half.map", "20 . 1 1\n20 . 2 1000000\n")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, testing::HasSubstr("half.map: covers 41 % of contig 20"));
}

TEST_F(ImputeErrorsTest, RegionsThatAreNone) {
  ExpectUserError({"--region", "20:5-3"}, {"region '20:5-3' is invalid"});
  ExpectUserError({"--region", "21"}, {"no records of contig 21; it has records of 20"});
  ExpectUserError({"--region", "20:9000000-"}, {"no markers in 20:9000000-"});
}

TEST_F(ImputeErrorsTest, OutputsThatCannotBeWritten) {
  const std::string absent = out_ / "no/such/imputed.vcf";
  ExpectUserError({"--out", absent}, {"cannot write " + absent, "create the folder first"});
  ExpectUserError({"--out", out_.path().string()}, {out_.path().string()});
  for (const std::string type : {"v", "z", "u", "b"}) {
    ExpectUserError({"--out", "/dev/full", "-O", type}, {"cannot write /dev/full: No space left on device"});
  }
}

// A file system of 16 kB that fills up in the middle of writing.
TEST_F(ImputeErrorsTest, AFullDisk) {
  const std::string disk = in_ / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16384") != 0) GTEST_SKIP() << "needs the right to mount";
  std::vector<int> many(400, 2);
  const SampleTable study = MakeSamples("S", many);
  Mosaic mosaic = mosaic_;
  for (size_t h = 46; h < 840; ++h) mosaic.alleles.push_back(mosaic.alleles[h - 46]);
  const std::string target = Write("many.vcf", MosaicVcf(mosaic, study, 40, typed_).text());
  const std::string path = disk + "/imputed.vcf";
  const ProgramResult result = Impute({"--target", target, "--out", path, "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "haplospin: error: cannot write " + path +
                            ": No space left on device; free space or choose another folder\n");
  EXPECT_TRUE(std::filesystem::is_empty(disk));
  umount(disk.c_str());
}

// An existing file is kept if the run fails.
TEST_F(ImputeErrorsTest, AnEarlierOutputIsKept) {
  WriteFile(imputed_path_, "precious");
  EXPECT_EQ(Impute({"--map", in_ / "absent.map"}).exit_code, 2);
  EXPECT_EQ(ReadFile(imputed_path_), "precious");
  EXPECT_EQ(out_.NumFiles(), 1u);
}

TEST_F(ImputeErrorsTest, NoCudaDevice) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "there may be a CUDA device";
  ExpectUserError({"--device", "cuda"}, {"--device cuda: this machine has no NVIDIA driver", "--device cpu"});
}

}  // namespace
}  // namespace haplospin
