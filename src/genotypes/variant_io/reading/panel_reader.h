// Phased haplotypes of a reference panel from VCF, VCF.gz, BCF, panel files and those of other programs, a piece of a
// contig at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "genotypes/variant_io/record_header.h"

namespace haplospin {

struct StudyOptions;

// The alleles of a marker that are missing.
struct MissingAtMarker {
  size_t marker = 0;                 // index in the panel that was read into
  std::vector<uint64_t> haplotypes;  // [haplotypes] bits
};

// Reads a reference panel in file order, one contig after the other. Throws InputError as listed in docs/errors.md;
// messages name file, record and sample.
class PanelReader : public PanelMarkerSource {
 public:
  // Samples (none without haplotypes), contigs, and INFO that describes records.
  const RecordHeader& header() const { return header_; }
  const std::vector<std::string>& sample_names() const final { return header_.samples; }
  const ContigTable& header_contigs() const { return header_.contigs; }
  const DescribedInfo& described() const { return header_.described; }

  // The contigs that have records: all of them if the file is indexed, otherwise those read so far.
  virtual std::vector<std::string> Contigs() = 0;

  // The contig of the next unread record, or nothing at the end of the file or region.
  virtual std::optional<std::string> NextContig() = 0;

  // Returns the array that the panel is adapted to (`panel adapt`); empty if there is none.
  virtual std::string AdaptedArray() const { return ""; }

  // Returns the missing alleles, which were read as REF, of the markers that the last ReadUntil() appended.
  virtual std::vector<MissingAtMarker> TakeMissing() { return {}; }

  // Makes the parts of a contig appear as contigs of the same name from here on: ploidy is constant in each.
  virtual void DivideContigs(const PloidyRegions& regions) = 0;

  // Skips the rest of the next record's contig, all parts of it.
  virtual void SkipContig() = 0;

 protected:
  RecordHeader header_;  // set by the constructors of readers
};

// Hands on to another reader what a derived class, which changes the panel, does not do itself.
class ForwardingPanelReader : public PanelReader {
 public:
  explicit ForwardingPanelReader(std::unique_ptr<PanelReader> panel) : panel_(std::move(panel)) {
    header_ = panel_->header();
  }

  std::vector<std::string> Contigs() override { return panel_->Contigs(); }
  std::optional<std::string> NextContig() override { return panel_->NextContig(); }
  std::optional<int64_t> NextPosition() override { return panel_->NextPosition(); }
  void DivideContigs(const PloidyRegions& regions) override { panel_->DivideContigs(regions); }
  void SkipContig() override { panel_->SkipContig(); }
  void Seek(const Region& region) override { panel_->Seek(region); }

 protected:
  const std::unique_ptr<PanelReader> panel_;
};

// Whether the haplotypes of a panel are decoded, and may lack alleles; without them its markers are those of a panel of
// no samples.
enum class PanelHaplotypes { kRead, kReadMissing, kSkip };

// Opens a VCF, VCF.gz, BCF or panel file, or one of another program (panel_source.h), told apart by its first bytes or,
// for Oxford's, its name. Records must be sorted, every genotype phased, and none missing unless that is accepted (of a
// panel in records); records without ALT are skipped.
std::unique_ptr<PanelReader> OpenPanel(const std::string& path, PanelHaplotypes haplotypes = PanelHaplotypes::kRead);

// Reads only the haplotypes of `samples`, in the order of the panel, unless there are none; markers whose ALT none of
// them has are kept. Throws InputError if the panel does not have one of the samples.
std::unique_ptr<PanelReader> OpenPanel(const std::string& path, const std::vector<std::string>& samples);

// Opens a panel file. Throws InputError if it is of another format.
std::unique_ptr<PanelReader> OpenPanelFile(const std::string& path,
                                           PanelHaplotypes haplotypes = PanelHaplotypes::kRead);

// Opens the sites of a study that is phased without a panel, as a panel without haplotypes. `path` must be a file,
// because the study is read from it again.
std::unique_ptr<PanelReader> OpenStudySites(const std::string& path, const StudyOptions& options);

// The contigs of a panel, found in any order.
class PanelContigs {
 public:
  // Reads only `samples`, unless there are none, as OpenPanel() does.
  explicit PanelContigs(const std::string& path, std::vector<std::string> samples = {});

  // Reads a panel that is stored in the file `path`, and that `open` opens from its beginning.
  using Opener = std::function<std::unique_ptr<PanelReader>()>;
  PanelContigs(std::string path, Opener open);

  // Does what PanelReader::DivideContigs() does.
  void DivideContigs(const PloidyRegions& regions);

  // Moves to the contig. Returns its name in the panel, or nothing if the panel does not have it. A panel without an
  // index is read again from its beginning where the contig may have been passed, so it must be a file.
  std::optional<std::string> Find(const std::string& contig);

  // Returns the contigs that have records: all of them if the panel has an index or has been read to its end, otherwise
  // those read so far.
  std::vector<std::string> Names() { return names_.empty() ? reader_->Contigs() : names_; }

  // Returns Names(), and the contigs that the header declares.
  std::vector<std::string> KnownNames();

  PanelReader& reader() { return *reader_; }

 private:
  std::optional<std::string> ReadOnTo(const std::string& contig);

  std::string path_;
  Opener open_;
  PloidyRegions regions_;
  std::unique_ptr<PanelReader> reader_;
  std::vector<std::string> names_;  // contigs that are known
  bool is_indexed_ = false;
  bool is_begun_ = false;  // some contig has been read or passed over
};

}  // namespace haplospin
