// A study: VCF or BCF, phased or not, with haploid samples and missing genotypes; or a file of one person.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/personal_source.h"
#include "genotypes/variant_io/reading/study_reader.h"

using namespace haplospin;

namespace {

// The sites that the file of one person among the seeds has.
std::string PanelPath() {
  static const std::string path =
      WriteFuzzFile("panel.vcf",
                    "##fileformat=VCFv4.2\n##contig=<ID=20>\n##contig=<ID=X>\n#"
                    "CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tP\n"
                    "20\t100\t.\tA\tG\t.\t.\t.\tGT\t0|1\n20\t200\t.\tC\tCAT\t.\t.\t.\tGT\t0|1\n"
                    "20\t300\t.\tCAT\tC\t.\t.\t.\tGT\t0|1\nX\t3000000\t.\tA\tT,C\t.\t.\t.\tGT\t1|2\n");
  return path;
}

void ReadPerson(const std::string& path) {
  const auto people = std::make_shared<PersonalStudy>();
  people->people.push_back(ReadPersonalFile(path, "person"));
  StudyReader study(path, {.open = PersonalRecords(path, people, PanelPath())});
  ReadAllPieces(study);
}

}  // namespace

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
  if (IsPersonalFile(path)) AcceptInputErrors([&] { ReadPerson(path); });
  AcceptInputErrors([&] {
    StudyReader study(path, {.phase_sets = true, .filters = {"PASS", "."}});
    study.Seek({"20", 10'004'000, 10'020'000});
    ReadAllPieces(study);
  });
}
