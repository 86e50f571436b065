// Refers to every function that the installed headers declare: one that the library does not define would not link.
#include <haplospin/errors.h>
#include <haplospin/genetic_map.h>
#include <haplospin/haplotype_panel.h>
#include <haplospin/impute.h>
#include <haplospin/marker.h>
#include <haplospin/study_genotypes.h>
#include <haplospin/version.h>

namespace haplospin {
namespace {

// Keeps the compiler from dropping the reference.
template <typename Function>
void Refer(Function function) {
  [[maybe_unused]] volatile Function kept = function;
}

void ReferToAll() {
  Refer(&internal::AssertionFailed);
  Refer(&SampleTable::Diploid);
  Refer(&SampleTable::SampleOfHaplotype);
  Refer(&SampleTable::Check);
  Refer(&HaplotypePanel::carriers);
  Refer(&HaplotypePanel::CopyBits);
  Refer(&HaplotypePanel::CopyWords);
  Refer(&HaplotypePanel::allele);
  Refer(&HaplotypePanel::MemoryBytes);
  Refer(&HaplotypePanelBuilder::AddMarker);
  Refer(&HaplotypePanelBuilder::Build);
  Refer(&FirstMarkerAtOrAfter);
  Refer(&GeneticMap::Uniform);
  Refer(&GeneticMap::Scaled);
  Refer(&GeneticMap::Centimorgans);
  Refer(&ImputedDosages::Dosage);
  Refer(&Impute);
}

}  // namespace
}  // namespace haplospin

// An error of the library is one that its users can catch.
int main() {
  haplospin::ReferToAll();
  const auto panel = haplospin::HaplotypePanelBuilder("1", haplospin::SampleTable::Diploid({"R"})).Build();
  haplospin::StudyGenotypes study;
  study.contig = "1";
  study.samples = haplospin::SampleTable::Diploid({"S"});
  const haplospin::GeneticMap map({1000, 2000}, {0, 0.001});
  try {
    haplospin::Impute(panel, study, map);
  } catch (const haplospin::InputError& error) {
    return haplospin::kVersion[0] == '\0';
  }
  return 1;
}
