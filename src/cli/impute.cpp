// haplospin impute: the untyped genotypes of a study from a reference panel.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command_options.h"
#include "cli/commands.h"
#include "cli/output_type.h"
#include "cli/torch_library.h"
#include "haplospin/core/errors.h"
#include "haplospin/core/install_paths.h"
#include "haplospin/core/log.h"
#include "haplospin/core/threads.h"
#include "haplospin/core/version.h"
#include "haplospin/imputation/imputer.h"

namespace haplospin {
namespace {

OutputFields ParseFields(const std::vector<std::string>& names) {
  OutputFields fields;
  for (const std::string& name : names) {
    if (name == "GP") {
      fields.gp = true;
    } else if (name == "HDS") {
      fields.hds = true;
    } else if (name == "AP") {
      fields.ap = true;
    } else {
      throw InputError(
          fmt::format("impute: --format is '{}', but must be GP, HDS or AP (GT and DS are always written)", name));
    }
  }
  return fields;
}

// `auto` looks for an NVIDIA device before it loads LibTorch, which most machines have no need of.
std::unique_ptr<NetworkBackend> MakeBackend(const std::string& device, const ImputerWeights& weights) {
  const bool use_cuda_if_there =
      device == "auto" && std::filesystem::exists("/dev/nvidiactl") && LoadTorchLibrary().sees_cuda_device();
  if (use_cuda_if_there) return LoadTorchLibrary().make_backend("cuda", weights);
  if (device == "auto" || device == "cpu") return nullptr;
  return LoadTorchLibrary().make_backend(device, weights);
}

}  // namespace

int ImputeCommand(const Arguments& arguments) {
  ImputeJob job;
  std::string model, region, output_type = "auto", device = "auto";
  std::vector<std::string> formats;
  CommandOptions options("impute", "Imputes the untyped genotypes of a phased study from a phased reference panel.",
                         "haplospin impute --ref panel.bcf --target study.vcf.gz --map chr20.map --out imputed.vcf.gz");
  options.Group("Input");
  options.Require("ref,r", "FILE", &job.reference,
                  "phased reference panel without missing genotypes (VCF, BCF or a panel file)");
  options.Require("target,t", "FILE", &job.target, "phased study (VCF or BCF; '-' is standard input)");
  options.Add("map,m", "FILE", &job.map, "genetic map, PLINK or SHAPEIT form (without: 1 cM per Mb)");
  options.Add("model", "FILE", &model, "weights made by 'haplospin train' (without: those that come with haplospin)");
  options.Group("Output");
  options.Require("out,o", "FILE", &job.out, "imputed study ('-' is standard output)");
  AddOutputType(options, &output_type);
  options.Add("format", "FIELD", &formats, "further FORMAT field: GP, HDS or AP; may be given several times");
  options.AddFlag("write-index", &job.write_index, "index the output");
  options.Group("Windows");
  options.Add("region", "REGION", &region,
              "impute only CONTIG or CONTIG:FROM-TO; the results are those of a run over the whole contig");
  options.Add("window", "CM", &job.window_cm, "length of a window in cM", {0.1, 1000});
  options.Add("overlap", "CM", &job.overlap_cm, "what a window sees beyond its ends, in cM", {0, 100});
  options.Group("Computing");
  options.AddDevice(&device);
  if (!options.Parse(arguments)) return 0;

  job.fields = ParseFields(formats);
  if (!region.empty()) job.region = ParseRegion(region);
  job.output_type = ParseOutputType(output_type);
  job.threads = Threads();
  CheckIndexable("impute", job.write_index, job.out, job.output_type);
  if (model.empty()) model = ModelsFolder() + "/imputer.safetensors";
  const ImputerWeights weights = LoadImputerWeights(model);
  const std::unique_ptr<NetworkBackend> backend = MakeBackend(device, weights);
  job.window.backend = backend.get();
  std::string command = "haplospin";
  for (const std::string& argument : arguments) command += " " + argument;
  job.header_lines = {fmt::format("##source=haplospin {}", kVersion), "##haplospin_command=" + command,
                      fmt::format("##haplospin_model=sha256:{}", weights.hash)};
  const ImputeCounts counts = Impute(job, weights);
  LogInfo("{}: {} samples, {} markers imputed, {} typed, {} of the study not in the panel", job.out, counts.samples,
          counts.imputed, counts.typed, counts.not_in_panel);
  return 0;
}

}  // namespace haplospin
