// Joins VCF or BCF files, such as the separately imputed regions of a chromosome.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/variant_io/writing/output_type.h"

namespace haplospin {

struct ConcatOptions {
  std::vector<std::string> pieces;  // paths in order; at least one
  std::string out;
  OutputType type = OutputType::kByExtension;
  IndexType index = IndexType::kNone;     // CanBeIndexed() must allow it
  bool ligate = false;                    // the pieces overlap: the phase of each is aligned to the one before it
  std::vector<std::string> header_lines;  // "##key=value", added to the header
};

struct ConcatCounts {
  size_t records = 0;        // written
  size_t records_read = 0;   // more than were written where files overlap
  size_t pieces_copied = 0;  // pieces that were copied without decoding them
};

// Writes the records of all files in their order. The header is that of the first file, plus what the others declare in
// addition. Compressed blocks of a file are copied unchanged if its header declares the same as the first file's and
// its format is that of the output; other files, and text with blank lines or carriage returns, are decoded and written
// again. All files are read before anything is written: throws InputError if one is damaged, has a line of the wrong
// number of columns or no newline at its end, has other samples than the first, is not sorted, does not begin after the
// end of the previous one, or declares a field with another type.
//
// Files without samples, which hold sites alone, can be joined, but not ligated. To ligate, each file is of one contig,
// and begins where the one before it has records still (ligation.h). All files are decoded, and every record that any
// of them has is written, once.
ConcatCounts Concat(const ConcatOptions& options);

}  // namespace haplospin
