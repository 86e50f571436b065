// Reads files of one contig that overlap side by side, site by site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/joining/piece.h"

namespace haplospin {

// The records of a file, all of one contig.
struct PieceSpan {
  std::string path;
  std::string contig;
  int64_t begin;  // bp, both included
  int64_t end;
  std::set<std::string> undeclared = {};  // INFO fields that the header lacks
};

class SiteMerge {
 public:
  struct Entry {
    size_t piece;
    bcf1_t* record;
  };
  using Site = std::vector<Entry>;  // the files that have it, in their order

  // The files are sorted by their beginnings and by their ends. One is open only where it has records.
  explicit SiteMerge(std::span<const PieceSpan> pieces);

  // The sites of the next position, in the order of the first file that has each; none at the end. They are valid until
  // the next call. Two records are one site if they have the same alleles and length, and no two different IDs.
  std::span<const Site> Next();

  int64_t position() const { return position_; }  // of these sites, bp
  bcf_hdr_t* header(size_t piece) const { return sources_[piece].file->header(); }
  const Piece& file(size_t piece) const { return *sources_[piece].file; }
  size_t num_read() const { return num_read_; }  // records

 private:
  struct Source {
    std::unique_ptr<Piece> file;
    bcf1_t* next = nullptr;                // the record after those of this position
    std::vector<BcfRecordHandle> records;  // of this position
  };

  void Open(size_t piece);
  void CloseEnded();
  bool MoveOn();  // to the next position; false at the end
  void Add(size_t piece, bcf1_t* record);

  std::span<const PieceSpan> pieces_;
  std::vector<Source> sources_;             // [pieces]
  size_t first_open_ = 0, num_opened_ = 0;  // files
  int64_t position_ = 0;
  std::vector<Site> sites_;
  size_t num_read_ = 0;
};

}  // namespace haplospin
