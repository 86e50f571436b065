// Pieces of a VCF or BCF file, such as the regions of a chromosome imputed apart, joined.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "variant_io/writing/output_type.h"

namespace haplospin {

struct ConcatOptions {
  std::vector<std::string> pieces;  // in order; at least one
  std::string out;
  OutputType type = OutputType::kByExtension;
  bool write_index = false;  // CanBeIndexed() must allow it
  int threads = 1;
  std::vector<std::string> header_lines;  // "##key=value", added to the header
};

struct ConcatCounts {
  size_t records = 0;
  size_t pieces_copied = 0;  // without decoding them
};

// Writes the records of all pieces, one piece after the other. The header is the first piece's with what the others
// declare beyond it. Compressed blocks of a piece are copied as they are where its header declares the same as the
// first piece's and its format is the output's; other pieces are decoded and written anew. Before anything is written,
// all pieces are read through: throws InputError where one is damaged, has other samples than the first, is not sorted,
// does not begin behind the end of the one before it, or declares a field as another type.
ConcatCounts Concat(const ConcatOptions& options);

}  // namespace haplospin
