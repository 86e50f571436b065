#include "genotypes/variant_io/alignments/reference_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "haplospin/errors.h"

namespace haplospin {

ReferenceFile::ReferenceFile(const std::string& path) : path_(path) {
  SilenceHtslib();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(path + ": no such file; give the reference as FASTA");
  if (!std::filesystem::exists(path + ".fai", error)) {
    throw InputError(fmt::format("{}: has no index ({}.fai); make one (samtools faidx)", path, path));
  }
  index_.reset(fai_load3(path.c_str(), nullptr, nullptr, 0));
  if (!index_) {
    throw InputError(path + ": cannot be read as FASTA with its index (.fai); index it again (samtools faidx)");
  }
  ContigTable contigs;
  for (int i = 0; i < faidx_nseq(index_.get()); ++i) {
    const char* name = faidx_iseq(index_.get(), i);
    contigs.emplace_back(name, faidx_seq_len(index_.get(), name));
  }
  contigs_.emplace(std::move(contigs));
}

std::string ReferenceFile::Bases(const std::string& contig, int64_t begin, int64_t end) const {
  const auto found = contigs_->Find(contig);
  if (!found) return "";
  const std::lock_guard lock(mutex_);
  hts_pos_t length = 0;
  const std::unique_ptr<char, Deleter<std::free>> bases(
      faidx_fetch_seq64(index_.get(), contigs()[*found].first.c_str(), begin, end - 1, &length));
  if (length == -2 || (length > 0 && !bases)) return "";
  if (length < 0) throw InputError(path_ + ": damaged, or not as its index (.fai) has it; index it again");
  return {bases.get(), static_cast<size_t>(length)};
}

}  // namespace haplospin
