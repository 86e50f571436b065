// The records of VCF, VCF.gz and BCF.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/call_weights.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/reading/imputed_records.h"
#include "genotypes/variant_io/reading/no_calls.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// `has(name)` tells whether the record has a FORMAT field.
template <typename Has>
[[noreturn]] void FailNoGenotypes(RecordKind kind, const Has& has) {
  std::string remedy = "remove the record, or give a file with genotypes";
  if (kind == RecordKind::kStudy) {
    for (const char* field : {"PL", "GL", "AD"}) {
      if (!has(field)) continue;
      remedy = fmt::format("give --likelihoods {}, which it has", field);
      break;
    }
    if (!has("PL") && has("LPL")) {
      remedy = "make PL of its LPL (bcftools +tag2tag -- --LXX-to-XX), and give --likelihoods PL";
    }
    if (has("GP")) remedy = "make GT of its GP (bcftools +tag2tag -- --gp-to-gt)";
  }
  throw InputError("no GT among its FORMAT fields; " + remedy);
}

void CheckOneGenotype(std::ptrdiff_t count) {
  if (count > 1) throw InputError("has GT twice in FORMAT; keep one of them");
}

void CheckOneGenotype(std::string_view format) {
  std::ptrdiff_t count = 0;
  while (!format.empty()) count += PopItem(format, ':') == "GT";
  CheckOneGenotype(count);
}

void CheckOneGenotype(const bcf1_t& record, const bcf_fmt_t& gt) {
  CheckOneGenotype(std::count_if(record.d.fmt, record.d.fmt + record.n_fmt,
                                 [&gt](const bcf_fmt_t& format) { return format.id == gt.id; }));
}

std::string FilterText(const bcf_hdr_t* header, const bcf1_t& raw) {
  std::string filter;
  for (int i = 0; i < raw.d.n_flt; ++i) {
    filter += (i == 0 ? "" : ";");
    filter += bcf_hdr_int2id(header, BCF_DT_ID, raw.d.flt[i]);
  }
  return filter.empty() ? "." : filter;
}

class VariantSource : public RecordSource {
 public:
  VariantSource(const std::string& path, const RecordContent& content)
      : RecordSource({.path = path}),
        file_(path, content.kind == RecordKind::kSites ? SitesOnly::kAccept : SitesOnly::kReject),
        content_(content),
        weights_([path, content] {
          RecordContent values = content;
          values.weighs_calls = false;
          if (!CanBeReadTwice(path)) return CallPhreds();
          VariantSource source(path, values);
          return MeasureCallPhreds(source);
        }) {
    header_ = file_.header();
  }

  size_t Read() override { return Hold(file_.Read(raw_) ? raw_.size() : 0); }

  void ParseDosages(size_t i, DecodedDosages& dosages) override {
    dosages.Clear(records_[i].alts.size());
    file_.bcf_header() == nullptr ? DecodeDosages(raw_.line(i), samples(), dosages)
                                  : DecodeDosages(file_.bcf_header(), *raw_.record(i), samples(), dosages);
  }

  std::optional<std::vector<std::string>> IndexedContigs() override { return file_.IndexedContigs(); }

  bool Seek(const Region& region) override {
    const auto indexed = IndexedContigs();
    if (!indexed) return false;
    const std::optional<std::string> contig = FindContig(*indexed, region.contig);
    if (contig && file_.SeekByIndex(*contig, region.begin)) return true;
    throw InputError(NoRecordMessage(header_.path, *indexed, region));
  }

 private:
  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    StartRecord(record);
    file_.bcf_header() == nullptr ? DecodeLine(raw_.line(i), filter, record)
                                  : DecodeBcf(*raw_.record(i), filter, record);
  }

  bool EndsWithoutNewline() const override { return file_.ends_without_newline(); }

  void DecodeLine(std::string_view line, const RecordFilter& filter, ParsedRecord& record) const {
    ColumnSplitter columns(line);
    const std::string_view contig = columns.Next();
    if (!SetPlace(contig, ParsePosition(columns.Next()), filter, record)) return;
    record.id = columns.Next();
    record.ref = columns.Next();
    SplitAlts(columns.Next(), record.alts);
    CheckTexts(record);
    CheckAlleles(content_.kind, record);
    columns.Next();  // QUAL
    record.filter = columns.Next();
    const std::string_view info = content_.kind == RecordKind::kSites ? columns.NextOrLast() : columns.Next();
    record.info = header_.described.Select(info, record.position);
    if (content_.kind == RecordKind::kSites) return;
    if (content_.kind == RecordKind::kStudy) record.imputation_flag = ImputationFlag(info);
    const std::string_view format = columns.Next();
    if (content_.kind == RecordKind::kPanel) {
      if (record.alts.empty()) return;
      record.bits.resize((samples().size() + 31) / 32);
      if (format == "GT" && record.alts.size() == 1 &&
          ParsePhasedBits(columns.rest(), samples().size(), record.bits.data())) {
        return;
      }
    }
    const auto gt_field = IndexIn(format, "GT", ':');
    record.has_genotypes = gt_field.has_value();
    if (!gt_field && content_.kind == RecordKind::kDosages) return;
    if (gt_field) {
      CheckOneGenotype(format);
      ParseCalls(columns.rest(), *gt_field, samples(), record.alts.size() + 1, record.calls);
    }
    if (content_.likelihoods != LikelihoodField::kNone) DecodeLikelihoodText(format, columns.rest(), record);
    if (!gt_field && record.likelihoods.empty()) {
      FailNoGenotypes(content_.kind, [&](const char* name) { return IndexIn(format, name, ':').has_value(); });
    }
    if (!gt_field) return FinishWithoutCalls(content_.kind, samples(), record);
    if (UsesCalls(record)) {
      record.no_calls = RemoveNoCalls(format, columns.rest(), record.calls);
      record.failed_calls = CountFailedCalls(format, columns.rest(), record.calls);
    }
    const auto ps_field = content_.phase_sets ? IndexIn(format, "PS", ':') : std::nullopt;
    if (ps_field) ParsePhaseSets(columns.rest(), *ps_field, samples(), record.calls);
    const auto pid_field = TakesPhaseIds() && !ps_field ? IndexIn(format, "PID", ':') : std::nullopt;
    if (pid_field) ParsePhaseIds(columns.rest(), *pid_field, record.calls);
    FinishCalls(content_.kind, samples(), record);
  }

  void DecodeBcf(bcf1_t& raw, const RecordFilter& filter, ParsedRecord& record) const {
    const bcf_hdr_t* header = file_.bcf_header();
    if (!SetPlace(bcf_seqname_safe(header, &raw), RecordPosition(raw), filter, record)) return;
    if (raw.n_sample != samples().size()) {
      throw InputError(fmt::format("genotypes of {}, but the header has {}; the file is damaged",
                                   Counted(raw.n_sample, "sample"), samples().size()));
    }
    const int genotypes = content_.kind == RecordKind::kSites ? 0 : BCF_UN_FMT;
    if (bcf_unpack(&raw, BCF_UN_STR | BCF_UN_FLT | BCF_UN_INFO | genotypes) != 0) {
      throw InputError("cannot be decoded; the file is damaged");
    }
    record.filter = FilterText(header, raw);
    record.id = raw.d.id;
    record.ref = raw.n_allele > 0 ? raw.d.allele[0] : ".";
    record.alts.assign(raw.d.allele + std::min<size_t>(raw.n_allele, 1), raw.d.allele + raw.n_allele);
    if (record.alts.size() == 1 && record.alts[0] == ".") record.alts.clear();
    CheckAlleles(content_.kind, record);
    record.info = header_.described.Select(header, raw);
    if (content_.kind == RecordKind::kSites) return;
    if (content_.kind == RecordKind::kStudy) record.imputation_flag = ImputationFlag(header, raw);
    if (content_.kind == RecordKind::kPanel && record.alts.empty()) return;
    const bcf_fmt_t* gt = FindFormat(header, raw, "GT");
    record.has_genotypes = gt != nullptr;
    if (gt == nullptr && content_.kind == RecordKind::kDosages) return;
    if (gt != nullptr) {
      CheckOneGenotype(raw, *gt);
      if (content_.kind == RecordKind::kPanel) {
        record.bits.resize((samples().size() + 31) / 32);
        const bool has_sets = content_.phase_sets && FindFormat(header, raw, "PS") != nullptr;
        if (record.alts.size() == 1 && !has_sets && DecodePhasedBits(*gt, samples().size(), record.bits.data())) return;
      }
      DecodeCalls(*gt, samples(), record.alts.size() + 1, record.calls);
    }
    if (content_.likelihoods != LikelihoodField::kNone) DecodeLikelihoodField(raw, record);
    if (gt == nullptr && record.likelihoods.empty()) {
      FailNoGenotypes(content_.kind, [&](const char* name) { return FindFormat(header, raw, name) != nullptr; });
    }
    if (gt == nullptr) return FinishWithoutCalls(content_.kind, samples(), record);
    if (UsesCalls(record)) {
      record.no_calls = RemoveNoCalls(header, raw, record.calls);
      record.failed_calls = CountFailedCalls(header, raw, record.calls);
    }
    const bcf_fmt_t* ps = content_.phase_sets ? FindFormat(header, raw, "PS") : nullptr;
    if (ps != nullptr) DecodePhaseSets(*ps, samples(), record.calls);
    const bcf_fmt_t* pid = TakesPhaseIds() && ps == nullptr ? FindFormat(header, raw, "PID") : nullptr;
    if (pid != nullptr) DecodePhaseIds(*pid, record.calls);
    FinishCalls(content_.kind, samples(), record);
  }

  // A panel was phased since GATK called it, if it is one.
  bool TakesPhaseIds() const { return content_.phase_sets && content_.kind == RecordKind::kStudy; }

  // Returns whether the genotypes of a study are those that were called.
  bool UsesCalls(const ParsedRecord& record) const {
    return content_.kind == RecordKind::kStudy && record.likelihoods.empty();
  }

  void DecodeLikelihoodText(std::string_view format, std::string_view columns, ParsedRecord& record) const {
    const auto field = IndexIn(format, FieldName(content_.likelihoods), ':');
    if (!field) return;
    SetLikelihoods(
        ParseLikelihoods(columns, *field, content_.likelihoods, samples(), record.alts.size() + 1),
        [&](const char* name) {
          const auto at = IndexIn(format, name, ':');
          return at ? ParseSampleNumbers(columns, *at, samples().size()) : std::vector<float>();
        },
        record);
  }

  void DecodeLikelihoodField(bcf1_t& raw, ParsedRecord& record) const {
    const bcf_hdr_t* header = file_.bcf_header();
    const bcf_fmt_t* field = FindFormat(header, raw, FieldName(content_.likelihoods));
    if (field == nullptr) return;
    SetLikelihoods(
        DecodeLikelihoods(*field, content_.likelihoods, samples(), record.alts.size() + 1),
        [&](const char* name) {
          const bcf_fmt_t* values = FindFormat(header, raw, name);
          return values != nullptr ? DecodeSampleNumbers(*values, samples().size()) : std::vector<float>();
        },
        record);
  }

  // `numbers(name)` gives a FORMAT field of all samples.
  template <typename Numbers>
  void SetLikelihoods(DecodedLikelihoods likelihoods, const Numbers& numbers, ParsedRecord& record) const {
    if (content_.weighs_calls && record.has_genotypes && !likelihoods.without_values.empty()) {
      weights_.Weigh(record.calls, numbers("DP"), numbers("GQ"), likelihoods);
    }
    record.likelihoods = std::move(likelihoods.rows);
    record.is_haploid = std::move(likelihoods.is_haploid);
    record.weighed = likelihoods.weighed;
  }

  const std::vector<std::string>& samples() const { return header_.samples; }

  VariantFile file_;
  const RecordContent content_;
  const CallWeights weights_;
  RawRecords raw_;
};

}  // namespace

std::unique_ptr<RecordSource> OpenVariants(const std::string& path, const RecordContent& content) {
  return std::make_unique<VariantSource>(path, content);
}

}  // namespace haplospin
