#include "variant_io/joining/piece.h"

#include <fmt/format.h>
#include <htslib/kseq.h>

#include "haplospin/errors.h"

namespace haplospin {

Piece::Piece(const std::string& path) : path_(path), file_(hts_open(path.c_str(), "r")), record_(bcf_init()) {
  if (file_) header_.reset(bcf_hdr_read(file_.get()));
  if (!header_)
    throw InputError(path + ": cannot read the header; the file is damaged or was changed while it was read");
}

bcf1_t* Piece::Next() {
  int status = 0;
  if (file_->format.format == bcf) {
    status = bcf_read(file_.get(), header_.get(), record_.get());
  } else {
    do {
      status = hts_getline(file_.get(), KS_SEP_LINE, &line_.text);
    } while (status >= 0 && line_.text.l == 0);
    if (status >= 0) status = vcf_parse(&line_.text, header_.get(), record_.get());
  }
  if (status == -1) return nullptr;
  if (status < -1 || record_->errcode != 0) FailDamaged();
  return record_.get();
}

void Piece::FailDamaged() const {
  throw InputError(fmt::format("{}: {}:{} is damaged, or has a field that the header does not declare", path_,
                               bcf_seqname_safe(header_.get(), record_.get()), record_->pos + 1));
}

}  // namespace haplospin
