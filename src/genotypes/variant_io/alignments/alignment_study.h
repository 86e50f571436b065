// The people whose reads are in alignment files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/alignments/alignment_pool.h"
#include "genotypes/variant_io/alignments/read_filter.h"
#include "genotypes/variant_io/alignments/reference_file.h"

namespace haplospin {

// A file as it was given, perhaps with the name of its person.
struct AlignmentTarget {
  std::string path;
  std::string name;        // empty: that of its read groups (@RG SM)
  std::string index = {};  // empty: beside the file
};

// Returns the file of a path that may have its index after "##idx##", as HTSlib writes it.
AlignmentTarget ParseAlignmentPath(std::string_view text);

// A file with reads of a person.
struct PersonFile {
  std::string path;
  std::string sample = {};  // @RG SM of the person's reads, where the file has those of others too; empty: all are
};

struct AlignedPerson {
  std::string name;
  std::vector<PersonFile> files;

  std::vector<std::string> Paths() const;
};

struct AlignmentStudy {
  std::vector<AlignedPerson> people;               // in the order of their first files
  ContigTable contigs;                             // of the first file
  std::string fasta;                               // reference; empty for none
  std::shared_ptr<const ReferenceFile> reference;  // the same, opened
  ReadFilter filter;
  std::shared_ptr<AlignmentPool> open_files = std::make_shared<AlignmentPool>();

  std::vector<std::string> Names() const;

  // Drops people who are not among `chosen`, if there are any, or are among `excluded`, so that their files are not
  // read. Nobody is dropped if nobody would be left. Names of people who were dropped are removed from `excluded`.
  void KeepPeople(const std::vector<std::string>& chosen, std::vector<std::string>& excluded);
};

// Throws InputError if a contig has another length in the second list: `path` and `other_path` say whose they are.
void CheckContigLengths(const std::string& path, const ContigTable& contigs, const std::string& other_path,
                        const ContigTable& others);

// Opens each file once, and checks what can be known before reads are needed (AlignmentFile::Check()). A file whose
// person is named is of that person; another one is of the samples of its read groups, one or several. Throws
// InputError if a file is of nobody by name, two people have one name, a file is given twice, by whatever path or as a
// copy beside it that is of the same person, or contigs of two files, or of a file and the reference, are of different
// lengths. Says which people are read from several libraries, with a warning if their name looks like that of nobody.
AlignmentStudy OpenAlignmentStudy(std::span<const AlignmentTarget> targets, const std::string& fasta,
                                  const ReadFilter& filter);

// Returns whether anyone has reads on the contig, whatever the files call it. Throws InputError if a file is damaged.
bool HasReads(const AlignmentStudy& study, const std::string& contig);

// Reads a list: a path and optionally a name in each line, separated by a tab or blanks; a line without a tab that is
// the path of a file, with blanks in it, has no name. Lines that begin with "#" are ignored, and so is an index (.bai,
// .csi, .crai) in place of the name. Relative paths are relative to the working
// folder. Throws InputError for a longer line or an empty list.
std::vector<AlignmentTarget> ReadAlignmentList(const std::string& path);

}  // namespace haplospin
