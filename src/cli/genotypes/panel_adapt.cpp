// haplospin panel adapt: how accurately a panel imputes an array, kept in the panel file.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/contig_loop.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "core/counted.h"
#include "core/install_paths.h"
#include "core/log.h"
#include "genotypes/imputation/adapt/adapt_panel.h"
#include "genotypes/imputation/backends/gpu/opening_backend.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/variant_io/reading/wanted_sites_file.h"

namespace haplospin {
namespace {

int Adapt(const AdaptJob& job, const WindowPlan& plan) {
  const AdaptCounts counts = AdaptPanel(job, plan);
  LogInfo("{}: adapted to {} ({}) with {}: {} imputed, mean r2 {:.3f} of {} with a MAF of at least 1 %; {} bytes more",
          job.out, job.array, Counted(counts.typed, "site"), Counted(counts.samples, "sample"),
          Counted(counts.imputed, "marker"), counts.mean_r2, counts.common, counts.bytes);
  return 0;
}

}  // namespace

int PanelAdaptCommand(const Arguments& arguments) {
  std::string panel, sites, map, out, model, device = "auto";
  CommandOptions options("panel adapt",
                         "Adapts a panel file to an array: imputes the panel's own samples from each other at the "
                         "array's sites, and adds to the file how accurate each marker is, and what its errors depend "
                         "on. With it, impute is more accurate for studies of this array, and writes R2P, an accuracy "
                         "that does not depend on the study, so that it can be used for a single sample. It takes as "
                         "long as imputing the panel's samples (at most 2,500), once for all studies.",
                         "haplospin panel adapt --panel panel.hsp --sites array.txt --map chr20.map --out adapted.hsp");
  options.Group("Input");
  options.Require("panel", "FILE", &panel,
                  "panel file, made by panel build; panel.chr{contig}.hsp: each of these, one after the other");
  options.Require(
      "sites", "FILE", &sites,
      "sites of the array: a study as VCF or BCF, whose alleles count; or a contig and a position per line, "
      "where all alleles of the panel do");
  options.Add("map,m", "FILE", &map, "genetic map, PLINK or SHAPEIT format [1 cM per Mb]");
  options.Add("model", "FILE", &model, "weights made by 'haplospin train' [the default imputer]");
  options.Group("Output");
  options.Require("out,o", "FILE", &out, "panel file, usually with the extension .hsp");
  options.Group("Computing");
  options.AddDevice(&device);
  if (!options.Parse(arguments)) return 0;
  CheckPanelFileName(out);
  CheckMainHasPlace("panel adapt", {"panel", &panel}, {{"sites", &sites}, {"map", &map}});
  if (model.empty()) model = ModelsFolder() + "/imputer.safetensors";
  const std::unique_ptr<Backend> backend =
      OpenBackend(device, LoadImputerWeights(model), std::numeric_limits<size_t>::max());
  const WindowPlan plan = MakeWindowPlan({}, {.imputer = {.backend = backend.get()}});
  return ForEachContigOfFiles(
      "panel adapt", {{"panel", &panel}, {"sites", &sites}, {"map", &map}}, {{"out", &out}},
      [] { return std::vector<std::string>(); },
      [&](const std::string&) {
        return Adapt({.panel = panel,
                      .array = std::filesystem::path(sites).filename(),
                      .sites = std::make_shared<WantedSites>(sites, LoadWantedSites(sites)),
                      .map = map,
                      .out = out},
                     plan);
      });
}

}  // namespace haplospin
