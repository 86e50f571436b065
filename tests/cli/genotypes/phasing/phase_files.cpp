#include "cli/genotypes/phasing/phase_files.h"

#include <algorithm>
#include <utility>

namespace haplospin {

std::string Sorted(std::string genotype) {
  if (genotype[0] > genotype[2]) std::swap(genotype[0], genotype[2]);
  genotype[1] = '/';
  return genotype;
}

bool IsHeterozygous(const std::string& genotype) { return genotype[0] != genotype[2]; }

std::string Exchanged(const std::string& genotype) { return {genotype[2], genotype[1], genotype[0]}; }

PhaseFiles::Genotypes PhaseFiles::Truth() const {
  Genotypes genotypes;
  for (const auto& record : VcfLines(StudyVcf().text()).records) {
    genotypes.emplace_back(record.begin() + kFirstSample, record.end());
  }
  return genotypes;
}

std::string PhaseFiles::WriteStudy(const Genotypes& genotypes, const std::string& format,
                                   const std::string& name) const {
  VcfText vcf(study_.names, {"20"});
  for (size_t r = 0; r < genotypes.size(); ++r) {
    const Marker& marker = mosaic_.markers[typed_[r]];
    std::string columns;
    for (const std::string& genotype : genotypes[r]) columns += genotype + " ";
    vcf.Add("20", marker.position, marker.ref, marker.alt, columns, format);
  }
  return Write(name, vcf.text());
}

PhaseFiles::Phased PhaseFiles::Phase(const std::string& study, std::vector<std::string> options) const {
  options.insert(options.begin(), {"phase", "--ref", panel_path_, "--target", study, "--out", imputed_path_});
  const ProgramResult result = RunProgram(options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  Phased phased{ReadFile(imputed_path_), result.err, {}};
  for (const auto& record : VcfLines(phased.text).records) {
    phased.genotypes.emplace_back();
    for (size_t s = 0; s + kFirstSample < record.size(); ++s) {
      phased.genotypes.back().push_back(Field(record, s, "GT"));
    }
  }
  return phased;
}

void PhaseFiles::ExpectPhaseError(const std::string& study, const std::vector<std::string>& options,
                                  const std::string& message) const {
  std::vector<std::string> arguments{"phase", "--ref", panel_path_, "--target", study, "--out", imputed_path_};
  arguments.insert(arguments.end(), options.begin(), options.end());
  ExpectRefused(RunProgram(arguments), {message});
  EXPECT_EQ(out_.NumFiles(), 0u);
}

}  // namespace haplospin
