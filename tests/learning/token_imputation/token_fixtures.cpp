#include "learning/token_imputation/token_fixtures.h"

#include <fstream>

#include "core/threads.h"
#include "genotypes/variant_io/site_list_file.h"
#include "learning/nn/device.h"

namespace haplospin {
namespace {

constexpr size_t kReference = 60, kStudy = 6;

SiteList WriteArray(const std::string& path, const HaplotypePanel& panel, const std::vector<uint32_t>& typed) {
  std::ofstream file(path);
  for (uint32_t m : typed) file << panel.contig() << '\t' << panel.marker(m).position << '\n';
  file.close();
  return LoadSiteList(path);
}

}  // namespace

TableFiles::TableFiles()
    : mosaic(
          SimulateMosaic({.haplotypes = 2 * (kReference + kStudy), .markers = 200, .founders = 6, .rare_share = 0.2})),
      panel(MakePanel(mosaic, DiploidSamples("R", kReference))),
      study(DiploidSamples("S", kStudy), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(2 * kReference)),
      array(WriteArray(folder / "array.txt", panel, study.typed)) {
  SetThreads(1);  // more threads are slower at these sizes
  SetTorchThreads(Threads());
}

TokenTraining TableFiles::Training(const std::string& out, const std::string& architecture) const {
  TokenTraining training;
  training.network.architecture = architecture;
  training.network.shape = {.kmer = 3, .inputs = 18, .targets = 15};
  training.network.width = 8;
  training.network.depth = 2;
  training.network.inducing_points = 4;
  training.network.latent_attributes = 3;
  training.network.dropout = 0.0;
  training.rows = 64;
  training.steps = 12;
  training.learning_rate = 0.02;
  training.validation_share = 0.1;
  training.validation_steps = 4;
  training.log_steps = 6;
  training.out = folder / out;
  return training;
}

}  // namespace haplospin
