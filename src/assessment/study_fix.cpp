#include "assessment/study_fix.h"

#include <algorithm>
#include <utility>

#include "genomics/allele_relation.h"
#include "haplospin/errors.h"
#include "variant_io/reading/variant_reader.h"
#include "variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = int64_t{1} << 20;  // bp read at a time

std::string FixedName(const StudyCheck& check, const std::string& contig) {
  const auto known = std::ranges::find(check.contigs, contig, &ContigCheck::name);
  return known == check.contigs.end() || known->panel_name.empty() ? contig : known->panel_name;
}

DosageWriter::Header FixedHeader(const StudyCheck& check, const StudyReader& study, const StudyFixOptions& options) {
  DosageWriter::Header header{.contigs = {}, .lines = options.header_lines};
  const auto add = [&](const std::string& name, int64_t length) {
    const auto is_same = [&](const auto& declared) { return declared.first == name; };
    if (std::ranges::none_of(header.contigs, is_same)) header.contigs.emplace_back(name, length);
  };
  for (const auto& [name, length] : study.header_contigs()) add(FixedName(check, name), length);
  for (const ContigCheck& contig : check.contigs) add(FixedName(check, contig.name), 0);
  return header;
}

// Changes the marker and its alleles; false if it is left out.
bool FixMarker(SiteFit fit, Marker& marker, std::vector<uint8_t>& alleles) {
  if (fit == SiteFit::kDuplicate || fit == SiteFit::kUndecided) return false;
  if (fit == SiteFit::kFlipped || fit == SiteFit::kFlippedAndSwapped) {
    marker.ref = ReverseComplement(marker.ref);
    marker.alt = ReverseComplement(marker.alt);
  }
  if (fit == SiteFit::kSwapped || fit == SiteFit::kFlippedAndSwapped) {
    std::swap(marker.ref, marker.alt);
    for (uint8_t& allele : alleles) {
      if (allele != kMissingAllele) allele ^= 1;
    }
  }
  return true;
}

}  // namespace

void FixStudy(const StudyCheck& check, const StudyFixOptions& options) {
  StudyReader reader(check.study_path, options.threads);
  SampleTable names{reader.sample_names(), std::vector<uint32_t>(reader.sample_names().size() + 1, 0)};
  GenotypeWriter writer(options.path, options.type, FixedHeader(check, reader, options), names, options.threads);
  size_t next = 0;
  const auto fail_changed = [&] {
    throw InputError(check.study_path + ": changed while it was read; start again when it is whole");
  };
  while (reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    const std::string contig = FixedName(check, study.contig);
    bool has_more = true;
    for (int64_t position = kPiece; has_more; position += kPiece) {
      has_more = reader.ReadUntil(position, study);
      if (study.markers.size() > check.site_fits.size() - next) fail_changed();
      for (size_t s = 0; s < study.markers.size(); ++s) {
        if (!FixMarker(check.site_fits[next++], study.markers[s], study.alleles[s])) continue;
        writer.Write(contig, study.markers[s], study.samples, study.alleles[s]);
      }
      study.markers.clear();
      study.alleles.clear();
    }
  }
  if (next != check.site_fits.size()) fail_changed();
  writer.Finish(CanBeIndexed(options.path, options.type));
}

}  // namespace haplospin
