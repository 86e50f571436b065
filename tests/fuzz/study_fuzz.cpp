// A study: VCF or BCF, phased or not, with haploid samples and missing genotypes.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/study_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("study", bytes);
  for (const Unphased unphased : {Unphased::kReject, Unphased::kReadAll}) {
    AcceptInputErrors([&] {
      StudyReader study(path, {.unphased = unphased});
      ReadAllPieces(study);
    });
  }
  for (const LikelihoodField field : {LikelihoodField::kPl, LikelihoodField::kGl, LikelihoodField::kAd}) {
    AcceptInputErrors([&] {
      StudyReader study(path, {.unphased = Unphased::kReadAll, .likelihoods = field});
      ReadAllPieces(study);
    });
  }
  AcceptInputErrors([&] {
    StudyReader study(path, {.phase_sets = true, .filters = {"PASS", "."}});
    study.Seek({"20", 10'004'000, 10'020'000});
    ReadAllPieces(study);
  });
}
