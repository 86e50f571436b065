#include "cli/genotypes/contig_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/log.h"
#include "core/output_file.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/contig_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// An input with the place, and its files.
struct Input {
  ContigPath named;
  ContigFiles files;
};

std::vector<Input> FindInputs(const std::vector<ContigPath>& inputs) {
  std::vector<Input> found;
  for (const ContigPath& input : inputs) {
    if (!HasContigPlace(*input.path)) continue;
    found.push_back({input, ContigFiles::Named(input.option, *input.path)});
    for (const std::string& contig : found.back().files.Names()) ProtectFile(found.back().files.Find(contig)->path);
  }
  return found;
}

void CheckOutputs(const std::string& command, bool is_by_contig, const std::vector<ContigPath>& outputs) {
  for (const auto& [option, path] : outputs) {
    if (path->empty() || HasContigPlace(*path) == is_by_contig) continue;
    throw InputError(is_by_contig
                         ? fmt::format("{}: --{} {}: there is one for each contig; give a name with {}", command,
                                       option, *path, kContigPlace)
                         : fmt::format("{}: --{} {}: {} stands for the contig of an input with it; there is none",
                                       command, option, *path, kContigPlace));
  }
}

// The contigs that all inputs have.
std::vector<std::string> CommonContigs(const std::vector<Input>& inputs) {
  std::vector<std::string> contigs = inputs[0].files.Names();
  for (const Input& input : inputs) {
    std::vector<std::string> absent;
    std::erase_if(contigs, [&](const std::string& contig) {
      const bool is_absent = input.files.Find(contig) == nullptr;
      if (is_absent) absent.push_back(contig);
      return is_absent;
    });
    if (absent.empty()) continue;
    LogWarning("--{} {}: has no file of contigs {}, which are left out", input.named.option, *input.named.path,
               JoinNames(absent));
  }
  return contigs;
}

}  // namespace

int ForEachContigOfFiles(const std::string& command, const std::vector<ContigPath>& inputs,
                         const std::vector<ContigPath>& outputs, const std::function<std::vector<std::string>()>& list,
                         const std::function<int(const std::string&)>& run) {
  const std::vector<Input> by_contig = FindInputs(inputs);
  CheckOutputs(command, !by_contig.empty(), outputs);
  if (by_contig.empty()) return run("");
  std::vector<std::string> contigs = CommonContigs(by_contig);
  const std::vector<std::string> listed = list();
  if (!listed.empty()) std::erase_if(contigs, [&](const std::string& contig) { return !FindContig(listed, contig); });
  if (contigs.empty()) throw InputError(fmt::format("{}: the files have no contig in common", command));
  std::vector<std::string> patterns;
  for (const ContigPath& output : outputs) patterns.push_back(*output.path);
  int exit_code = 0;
  for (const std::string& contig : contigs) {
    for (const Input& input : by_contig) *input.named.path = input.files.Find(contig)->path;
    for (size_t i = 0; i < outputs.size(); ++i) *outputs[i].path = WithContig(patterns[i], contig);
    exit_code = std::max(exit_code, run(contig));
  }
  return exit_code;
}

void CheckMainHasPlace(const std::string& command, const ContigPath& main, const std::vector<ContigPath>& others) {
  if (HasContigPlace(*main.path)) return;
  for (const auto& [option, path] : others) {
    if (!HasContigPlace(*path)) continue;
    throw InputError(fmt::format("{}: --{} {} is of each contig, but --{} {} is one file; give a file of each contig",
                                 command, option, *path, main.option, *main.path));
  }
}

}  // namespace haplospin
