// haplospin panel info|view|regions: reference panels as panel files. panel_build.cpp and panel_adapt.cpp have `panel
// build` and `panel adapt`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/genotypes/common_arguments.h"
#include "cli/options/command.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/output_file.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/writing/genotype_writer.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

size_t NumMarkers(const PanelFileSummary& summary) {
  size_t markers = 0;
  for (const auto& contig : summary.contigs) markers += contig.markers;
  return markers;
}

int InfoCommand(const Arguments& arguments) {
  std::string panel;
  CommandOptions options("panel info", "Prints a summary of a panel file from its index.",
                         "haplospin panel info --panel panel.hsp");
  options.Group("Input");
  options.Require("panel", "FILE", &panel, "panel file");
  if (!options.Parse(arguments)) return 0;
  const PanelFileSummary summary = SummarizePanelFile(panel);
  std::string head =
      fmt::format("file     {}\nversion  {}\nbytes    {}\nsamples  {}\nmarkers  {}\n", panel, summary.version,
                  GroupDigits(summary.bytes), GroupDigits(summary.samples), GroupDigits(NumMarkers(summary)));
  if (!summary.array.empty()) head += fmt::format("array    {}\n", summary.array);
  head += '\n';
  TextTable table;
  table.AddRow({"contig", "first", "last", "haplotypes", "markers", "stored rare", "blocks", "bytes"});
  for (const auto& contig : summary.contigs) {
    table.AddRow({contig.name, GroupDigits(static_cast<size_t>(contig.first_position)),
                  GroupDigits(static_cast<size_t>(contig.last_position)), GroupDigits(contig.haplotypes),
                  GroupDigits(contig.markers),
                  fmt::format("{:.1f} %", PercentageOf(contig.rare_markers, contig.markers)),
                  GroupDigits(contig.blocks), GroupDigits(contig.bytes)});
  }
  PrintOutput(head + table.Text());
  return 0;
}

// The header lists the contigs of the panel's header, and contigs that have records without being declared.
VariantHeader PanelHeader(PanelReader& reader) {
  VariantHeader header{
      reader.header_contigs(), {fmt::format("##source=haplospin {} panel view", kVersion)}, reader.described()};
  ContigTable with_records;
  for (const std::string& name : reader.Contigs()) with_records.emplace_back(name, 0);
  header.AddContigs(with_records);
  return header;
}

void WriteContig(PanelReader& reader, bool keeps_records, GenotypeWriter& writer) {
  MutablePanel panel = reader.StartContig();
  std::vector<uint64_t> bits(panel.words_per_marker());
  std::vector<GenotypeWriter::Alt> record;
  const auto write = [&] {
    if (!record.empty()) writer.WriteRecord(panel.contig(), record, panel.samples());
    record.clear();
  };
  ForEachMarker(reader, panel, [&](size_t m) {
    panel.CopyBits(m, bits.data());
    if (!keeps_records || record.empty() || !AreOfOneRecord(record.back().marker, panel.marker(m))) write();
    record.push_back({panel.marker(m), std::vector<uint8_t>(panel.num_haplotypes())});
    for (size_t h = 0; h < panel.num_haplotypes(); ++h) record.back().alleles[h] = HasBit(bits, h);
  });
  write();
}

int ViewCommand(const Arguments& arguments) {
  std::string panel, region_text, out = "-", letter = "auto", multiallelic = "split";
  CommandOptions options(
      "panel view",
      "Writes a panel file as VCF or BCF, with AC and AN in INFO, and what describes records, such as SVTYPE.",
      "haplospin panel view --panel panel.hsp --region 20:1000000-2000000 --out part.bcf");
  options.Group("Input");
  options.Require("panel", "FILE", &panel, "panel file");
  options.Add("region,r", "REGION", &region_text, "only CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-");
  options.Group("Output");
  options.Add("out,o", "FILE", &out, "file, or - for standard output");
  AddOutputType(options, &letter);
  AddMultiallelic(options, &multiallelic);
  if (!options.Parse(arguments)) return 0;
  std::optional<Region> region;
  if (!region_text.empty()) region = ParseRegion(region_text);
  const auto reader = OpenPanelFile(panel);
  if (region) reader->Seek(MeantRegion(*region, NamesOfContigs(reader->header_contigs())));
  const OutputType type = ParseOutputType(letter);
  GenotypeWriter writer(out, type, PanelHeader(*reader), SampleTable::Diploid(reader->sample_names()));
  while (reader->NextContig()) WriteContig(*reader, multiallelic == "keep", writer);
  writer.Finish(IndexIfPossible(out, type));
  return 0;
}

int RegionsCommand(const Arguments& arguments) {
  std::string panel, contig;
  double size = 20, overlap = 0;
  CommandOptions options("panel regions",
                         "Lists regions that cover a contig, to be imputed separately (impute --region) and joined "
                         "(concat). Prints the contig and FROM-TO per line.",
                         "haplospin panel regions --panel panel.hsp --contig chr20 --size 20");
  options.Group("Input");
  options.Require("panel", "FILE", &panel, "panel file");
  options.Require("contig", "NAME", &contig, "contig, with its name in the study or in the panel");
  options.Group("Regions");
  options.Add("size", "MB", &size, "approximate length of a region; regions end where blocks of the panel file end",
              {0.001, 10000});
  options.Add("overlap", "MB", &overlap,
              "overlap of consecutive regions, for concat --ligate; give 1 for an unphased study", {0, 10000});
  if (!options.Parse(arguments)) return 0;
  if (overlap >= size) {
    throw InputError(fmt::format("panel regions: --overlap is {}, expected less than --size ({})", overlap, size));
  }
  std::string text;
  for (const Region& region :
       SplitPanelContig(panel, contig, static_cast<int64_t>(size * 1e6), static_cast<int64_t>(overlap * 1e6))) {
    const std::string end = region.end == INT64_MAX ? "" : std::to_string(region.end);
    text += fmt::format("{}\t{}-{}\n", region.contig, region.begin, end);
  }
  PrintOutput(text);
  return 0;
}

}  // namespace

int PanelCommand(const Arguments& arguments) {
  return RunSubcommand(arguments, "a reference panel as a compact file that loads fast",
                       {
                           {"build", "converts a panel to a panel file, and adds HLA types", PanelBuildCommand},
                           {"adapt", "measures a panel file's accuracy for an array, and adds it", PanelAdaptCommand},
                           {"info", "prints a summary of a panel file", InfoCommand},
                           {"view", "writes a panel file as VCF or BCF", ViewCommand},
                           {"regions", "lists regions of a contig to impute in parallel", RegionsCommand},
                       });
}

}  // namespace haplospin
