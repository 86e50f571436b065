#include "genotypes/imputation/contig/window_lengths.h"

#include <algorithm>
#include <cstdint>

#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr WindowLengths kDenseWindows{.core = 20, .flank = 2};
constexpr double kSitesOfCore = 1000, kSitesOfFlank = 100;
constexpr double kLongest = 1000;  // cM: longer than any chromosome

}  // namespace

WindowLengths ChooseWindowLengths(const WindowOptions& options, const SiteDensity& density) {
  WindowLengths lengths = kDenseWindows;
  if (density.sites > 1) {
    const double gap = density.centimorgans / static_cast<double>(density.sites - 1);
    lengths.core = std::clamp(kSitesOfCore * gap, kDenseWindows.core, kLongest);
    lengths.flank = std::clamp(kSitesOfFlank * gap, kDenseWindows.flank, kLongest);
  }
  return {.core = options.core.value_or(lengths.core), .flank = options.flank.value_or(lengths.flank)};
}

DensityReader::DensityReader(const std::string& path, const StudyOptions& options) {
  if (!options.lines.sites && !CanBeReadTwice(path)) return;
  stream_.emplace(VariantFile::Open(path, options.lines.sites), RecordParser::Kind::kStudy, /*accepts_unphased=*/true,
                  StudyFields{.likelihoods = options.likelihoods});
}

SiteDensity DensityReader::Measure(const std::string& contig, const GeneticMap& map) {
  if (!stream_ || contig == contig_) return density_;
  contig_ = contig;
  density_ = {};
  int64_t first = 0, last = 0;
  while (const ParsedRecord* record = stream_->Peek()) {
    if (record->contig == contig) {
      if (density_.sites++ == 0) first = record->position;
      last = record->position;
      if (density_.sites == kSitesForDensity) break;
      stream_->Pop();
    } else if (density_.sites > 0) {
      break;
    } else {
      stream_->SkipContig();
    }
  }
  density_.centimorgans = map.Centimorgans(last) - map.Centimorgans(first);
  return density_;
}

}  // namespace haplospin
