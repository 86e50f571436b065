#include "assessment/study_fix.h"

#include <algorithm>
#include <utility>

#include "genomics/sites/allele_relation.h"
#include "haplospin/errors.h"
#include "variant_io/reading/pieces.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

std::string FixedName(const StudyCheck& check, const std::string& contig) {
  const auto known = std::ranges::find(check.contigs, contig, &ContigCheck::name);
  return known == check.contigs.end() || known->panel_name.empty() ? contig : known->panel_name;
}

VariantHeader FixedHeader(const StudyCheck& check, const StudyReader& study, const StudyFixOptions& options) {
  VariantHeader header{.contigs = {}, .lines = options.header_lines};
  for (const auto& [name, length] : study.header_contigs()) header.AddContig(FixedName(check, name), length);
  for (const ContigCheck& contig : check.contigs) header.AddContig(FixedName(check, contig.name), 0);
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
  StudyReader reader(check.study_path, options.threads, Unphased::kAccept);
  GenotypeWriter writer(options.path, options.type, FixedHeader(check, reader, options),
                        SampleTable::Diploid(reader.sample_names()), options.threads);
  size_t next = 0;
  const auto fail_changed = [&] {
    throw InputError(check.study_path + ": changed while it was read; run again when the file is complete");
  };
  while (reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    const std::string contig = FixedName(check, study.contig);
    ForEachMarker(reader, study, [&](size_t s) {
      if (next == check.site_fits.size()) fail_changed();
      if (!FixMarker(check.site_fits[next++], study.markers[s], study.alleles[s])) return;
      writer.Write(contig, study.markers[s], study.samples, study.alleles[s], study.unphased[s]);
    });
  }
  if (next != check.site_fits.size()) fail_changed();
  writer.Finish(CanBeIndexed(options.path, options.type));
}

}  // namespace haplospin
