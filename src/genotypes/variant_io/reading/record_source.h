// Records of genotypes in the order of a file, whatever kind of file it is.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/dosage_values.h"
#include "genotypes/variant_io/reading/parsed_record.h"
#include "genotypes/variant_io/record_header.h"

namespace haplospin {

// All calls are made by one thread but those of Parse() and ParseDosages().
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  const RecordHeader& header() const { return header_; }

  // Reads the next records, some megabytes of them. Returns their number, 0 at the end. Throws InputError if the file
  // is damaged.
  virtual size_t Read() = 0;

  // Decodes the i-th of the records that were read last. An error of the record is stored in it. Several threads may
  // decode different records; one may be decoded again, with another filter.
  void Parse(size_t i, const RecordFilter& filter);
  ParsedRecord& record(size_t i) { return records_[i]; }

  // Decodes the dosages of a record that has been parsed as kDosages without an error. Throws InputError, which names
  // neither file nor record.
  virtual void ParseDosages(size_t i, DecodedDosages& dosages);

  // Returns the contigs that are declared, or those of a .bim with their last positions.
  virtual ContigTable KnownContigs() const { return header_.contigs; }

  // Returns the contigs that have records, or nothing where that is not known before all are read.
  virtual std::optional<std::vector<std::string>> IndexedContigs() { return std::nullopt; }

  // Moves to a record that is not after the first one of the region's contig from its begin on. Returns false where
  // records can only be read one after the other. Throws InputError if it is known that there is none.
  virtual bool Seek(const Region& /*region*/) { return false; }

  // Returns the end of a message about an error of a record: that it is perhaps cut, as no newline ends the last line
  // of a file of text, or "".
  std::string CutRemark(const ParsedRecord& record) const;

  // Says what to do about records that are not sorted.
  virtual std::string SortingRemedy() const;

  // Tells the user about what was read.
  virtual void Tell() const {}

 protected:
  explicit RecordSource(RecordHeader header) : header_(std::move(header)) {}

  virtual void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) = 0;

  // Returns whether the last record that was read is a line of text that no newline ends.
  virtual bool EndsWithoutNewline() const { return false; }

  // Returns how many records a source should read at a time.
  size_t RecordsAtATime() const;

  // Makes room for the records that were read. Returns their number.
  size_t Hold(size_t count);

  RecordHeader header_;
  std::vector<ParsedRecord> records_;  // kept for their memory
  size_t num_held_ = 0;                // of these, those that were read last
};

// Returns a line for the InputError where a region has no record; `contigs` are those that are known to have records.
std::string NoRecordMessage(const std::string& path, const std::vector<std::string>& contigs, const Region& region);

// Opens a source from its beginning.
using RecordOpener = std::function<std::unique_ptr<RecordSource>(const RecordContent& content)>;

// Opens VCF, VCF.gz, BCF, BGEN or PLINK 1 (.bed). Throws InputError if the file does not exist, is none of these, is
// truncated, or has duplicate samples or none. `path` "-" is standard input.
std::unique_ptr<RecordSource> OpenRecords(const std::string& path, const RecordContent& content);

// The first and the last of these.
std::unique_ptr<RecordSource> OpenVariants(const std::string& path, const RecordContent& content);
std::unique_ptr<RecordSource> OpenPlink(const std::string& path, const RecordContent& content);

}  // namespace haplospin
