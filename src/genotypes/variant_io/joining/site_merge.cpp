#include "genotypes/variant_io/joining/site_merge.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

bool IsSameSite(bcf1_t* a, bcf1_t* b) {
  if (a->pos != b->pos || a->rlen != b->rlen) return false;
  bcf_unpack(a, BCF_UN_STR);
  bcf_unpack(b, BCF_UN_STR);
  const std::string_view x = a->d.id, y = b->d.id;
  if (x != y && x != "." && y != ".") return false;
  return std::equal(a->d.allele, a->d.allele + a->n_allele, b->d.allele, b->d.allele + b->n_allele,
                    [](const char* first, const char* second) { return std::strcmp(first, second) == 0; });
}

}  // namespace

SiteMerge::SiteMerge(std::span<const PieceSpan> pieces) : pieces_(pieces), sources_(pieces.size()) {}

std::span<const SiteMerge::Site> SiteMerge::Next() {
  sites_.clear();
  CloseEnded();
  if (!MoveOn()) return {};
  for (size_t k = first_open_; k < num_opened_; ++k) {
    Source& source = sources_[k];
    while (source.next != nullptr && source.next->pos + 1 == position_) {
      Add(k, source.records.emplace_back(bcf_dup(source.next)).get());
      source.next = source.file->Next();
      ++num_read_;
    }
  }
  return sites_;
}

void SiteMerge::Open(size_t piece) {
  sources_[piece].file = std::make_unique<Piece>(pieces_[piece].path);
  DeclareContigs({pieces_[piece].contig}, header(piece));
  DeclareInfo(pieces_[piece].undeclared, header(piece));
  sources_[piece].next = sources_[piece].file->Next();
}

void SiteMerge::CloseEnded() {
  for (size_t k = first_open_; k < num_opened_; ++k) {
    sources_[k].records.clear();
    if (sources_[k].next == nullptr) sources_[k].file.reset();
  }
  while (first_open_ < num_opened_ && !sources_[first_open_].file) ++first_open_;
}

bool SiteMerge::MoveOn() {
  position_ = INT64_MAX;
  for (size_t k = first_open_; k < num_opened_; ++k) {
    if (sources_[k].next != nullptr) position_ = std::min<int64_t>(position_, sources_[k].next->pos + 1);
  }
  for (; num_opened_ < pieces_.size() && pieces_[num_opened_].begin <= position_; ++num_opened_) {
    Open(num_opened_);
    if (sources_[num_opened_].next != nullptr)
      position_ = std::min<int64_t>(position_, sources_[num_opened_].next->pos + 1);
  }
  return position_ < INT64_MAX;
}

void SiteMerge::Add(size_t piece, bcf1_t* record) {
  HS_ASSERT(record != nullptr);
  const auto site = std::ranges::find_if(sites_, [&](const Site& known) {
    return known.back().piece != piece && IsSameSite(known.front().record, record);
  });
  site == sites_.end() ? sites_.push_back({{piece, record}}) : site->push_back({piece, record});
}

}  // namespace haplospin
