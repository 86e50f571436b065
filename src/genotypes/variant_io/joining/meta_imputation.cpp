#include "genotypes/variant_io/joining/meta_imputation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/open_files.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/variant_io/joining/contig_weights.h"
#include "genotypes/variant_io/joining/empirical_order.h"
#include "genotypes/variant_io/joining/imputed_file.h"
#include "genotypes/variant_io/joining/panel_union.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsPerWrite = 256;
constexpr float kSmallestWeight = 1e-6F;
constexpr size_t kMaxConflicts = 100;  // of the alleles of a sample at typed markers, one in so many may differ

// Panels may differ in which allele of an SNV is REF. An insertion and the deletion with the same letters are two
// markers.
bool HasExchangedAlleles(const Marker& a, const Marker& b) { return RelateAlleles(a, b) == SiteRelation::kSwapped; }

void Mirror(TypedSite& site) {
  std::swap(site.marker.ref, site.marker.alt);
  for (uint8_t& allele : site.alleles) {
    if (allele != kMissingAllele) allele = allele == 0 ? 1 : 0;
  }
  for (uint16_t& p : site.left_out) p = static_cast<uint16_t>(kPackedProbabilityOne - p);
}

// Reads a file contig by contig, position by position.
class PanelFile {
 public:
  explicit PanelFile(const std::string& path) : file_(path) { Advance(); }

  ImputedFile& file() { return file_; }
  const ImputedFile& file() const { return file_; }
  bool IsAt(const std::string& contig) const { return has_record_ && contig_ == contig; }
  bool has_record() const { return has_record_; }
  const std::string& contig() const { return contig_; }

  void Advance() {
    const int64_t before = has_record_ ? file_.position() : 0;
    has_record_ = file_.Next();
    if (!has_record_) return;
    if (contig_ != file_.contig()) {
      contig_ = file_.contig();
      if (std::ranges::find(contigs_, contig_) != contigs_.end()) {
        file_.Fail("the contig appears again after another; sort the file (bcftools sort)");
      }
      contigs_.push_back(contig_);
    } else if (file_.position() < before) {
      file_.Fail(fmt::format("comes after position {}; sort the file (bcftools sort)", before));
    }
  }

 private:
  ImputedFile file_;
  bool has_record_ = false;
  std::string contig_;
  std::vector<std::string> contigs_;  // met so far
};

class MetaImputer {
 public:
  explicit MetaImputer(const MergeOptions& options) : options_(options), order_(options.empirical.size()) {
    if (!options.empirical.empty() && options.empirical.size() != options.pieces.size()) {
      throw InputError(fmt::format("merge: {} --empirical for {} files; give one for each, in the same order",
                                   options.empirical.size(), options.pieces.size()));
    }
    AllowOpenFiles(2 * options.pieces.size(), "combine fewer panels");
    for (size_t k = 0; k < options.pieces.size(); ++k) {
      panels_.push_back(std::make_unique<PanelFile>(options.pieces[k]));
      AddHeader(panels_[k]->file());
      const std::string& typed = options.empirical.empty() ? options.pieces[k] : options.empirical[k];
      typed_.push_back(std::make_unique<PanelFile>(typed));
      CheckSamples(typed_[k]->file());
    }
    header_.lines = options.header_lines;
  }

  MergeCounts Run() {
    while (const std::optional<std::string> contig = NextContig()) {
      contig_ = *contig;
      Combine(ReadWeights());
      CheckOrder();
    }
    Write();
    if (!writer_) throw InputError(options_.pieces[0] + ": no records; give imputed files");
    writer_->Finish(options_.index);
    for (const auto& panel : panels_) panel->file().Tell();
    return {panels_[0]->file().samples().size(), num_records_, writer_->mean_dr2()};
  }

 private:
  void AddHeader(const ImputedFile& file) {
    CheckSamples(file);
    for (const auto& [name, length] : file.header_contigs()) {
      const std::vector<std::string> known = NamesOfContigs(header_.contigs);
      const auto other = FindContig(known, name);
      if (!other || *other == name) continue;
      throw InputError(
          fmt::format("{}: contig {} is {} in the files before it; rename it (bcftools annotate "
                      "--rename-chrs)",
                      file.path(), name, *other));
    }
    header_.AddContigs(file.header_contigs());
    header_.described.Add(file.described());
  }

  void CheckSamples(const ImputedFile& file) const {
    const ImputedFile& first = panels_[0]->file();
    if (file.samples() == first.samples()) return;
    throw InputError(
        fmt::format("{}: other samples than {}; --meta combines imputations of the same samples in the "
                    "same order (bcftools view -S)",
                    file.path(), first.path()));
  }

  // The contig of some file's present record that comes first in the header; nothing at the end of all files.
  std::optional<std::string> NextContig() const {
    for (const auto& [name, length] : header_.contigs) {
      const auto has = [&](const auto& panel) { return panel->IsAt(name); };
      const auto with = std::ranges::find_if(panels_, has), without = std::ranges::find_if_not(panels_, has);
      if (with == panels_.end()) continue;
      if (without == panels_.end()) return name;
      throw InputError(
          fmt::format("{}: no contig {} where {} has it; give files of the same contigs, in the same order",
                      (*without)->file().path(), name, (*with)->file().path()));
    }
    return std::nullopt;
  }

  std::vector<TypedSite> ReadTyped(PanelFile& panel) const {
    while (panel.has_record() && !panel.IsAt(contig_)) panel.Advance();
    std::vector<TypedSite> sites;
    for (; panel.IsAt(contig_); panel.Advance()) {
      if (panel.file().HasFormat("LDS")) std::ranges::move(panel.file().ReadTyped(), std::back_inserter(sites));
    }
    if (!sites.empty()) return sites;
    throw InputError(
        fmt::format("{}: no typed markers with leave-one-out probabilities (LDS) on contig {}; impute with "
                    "--empirical-dosages, or give the files of Minimac4's --empirical-output by --empirical",
                    panel.file().path(), contig_));
  }

  // The weights from the typed markers of the contig that all files have.
  ContigWeights ReadWeights() {
    std::vector<std::vector<TypedSite>> panel_sites;
    for (const auto& panel : typed_) panel_sites.push_back(ReadTyped(*panel));
    for (size_t k = 0; k < options_.empirical.size(); ++k) order_.AddSites(k, panel_sites[k]);
    ContigWeights weights(panels_.size());
    std::vector<size_t> conflicts(panels_[0]->file().samples().size());
    std::vector<const TypedSite*> sites(panels_.size());
    for (const TypedSite& site : panel_sites[0]) {
      std::ranges::transform(panel_sites, sites.begin(), [&](auto& all) { return FindSite(all, site.marker); });
      if (std::ranges::find(sites, nullptr) != sites.end()) continue;
      CountConflicts(sites, conflicts);
      weights.Add(sites);
    }
    if (weights.num_sites() == 0) {
      throw InputError(
          fmt::format("{}: no typed marker of contig {} is one of all other files; impute the same study "
                      "from each panel",
                      typed_[0]->file().path(), contig_));
    }
    CheckConflicts(conflicts, weights.num_sites());
    weights.Find();
    return weights;
  }

  // Files of --empirical in another order would give each panel the weights of another one. The first contig tells.
  void CheckOrder() {
    for (size_t k = 0; k < options_.empirical.size(); ++k) {
      const std::optional<size_t> other = order_.FindOther(k);
      if (!other) continue;
      throw InputError(
          fmt::format("--empirical {} is not of {}, whose typed markers and ER2 are those of {}; give the files of "
                      "--empirical in the order of the imputed ones",
                      options_.empirical[k], options_.pieces[k], options_.empirical[*other]));
    }
    order_.EndContig();
  }

  // Returns null where there is no such site. One with REF and ALT exchanged is mirrored.
  static const TypedSite* FindSite(std::vector<TypedSite>& sites, const Marker& marker) {
    const auto at =
        std::ranges::equal_range(sites, marker.position, {}, [](const auto& s) { return s.marker.position; });
    auto found = std::ranges::find_if(at, [&](const auto& s) { return IsSameAlt(s.marker, marker); });
    if (found != at.end()) return &*found;
    found = std::ranges::find_if(at, [&](const auto& s) { return HasExchangedAlleles(s.marker, marker); });
    if (found == at.end()) return nullptr;
    Mirror(*found);
    return &*found;
  }

  // Counts the typed markers at which a sample's haplotypes differ between files.
  void CountConflicts(const std::vector<const TypedSite*>& sites, std::vector<size_t>& conflicts) const {
    const TypedSite& first = *sites[0];
    for (size_t k = 1; k < sites.size(); ++k) {
      const TypedSite& other = *sites[k];
      if (other.first_haplotype != first.first_haplotype) {
        throw InputError(
            fmt::format("{}: {}:{}: a sample has another ploidy than in {}; impute the same study from "
                        "each panel",
                        typed_[k]->file().path(), contig_, first.marker.position, typed_[0]->file().path()));
      }
      for (size_t s = 0; s < conflicts.size(); ++s) {
        bool differs = false;
        for (size_t h = first.first_haplotype[s]; h < first.first_haplotype[s + 1]; ++h) {
          differs = differs || (first.alleles[h] != other.alleles[h] && first.alleles[h] != kMissingAllele &&
                                other.alleles[h] != kMissingAllele);
        }
        conflicts[s] += differs ? 1 : 0;
      }
    }
  }

  void CheckConflicts(const std::vector<size_t>& conflicts, size_t num_sites) const {
    const size_t s = static_cast<size_t>(std::ranges::max_element(conflicts) - conflicts.begin());
    if (conflicts[s] * kMaxConflicts <= num_sites) return;
    throw InputError(
        fmt::format("sample {}: its typed haplotypes differ between the files at {} of {} markers of contig "
                    "{}; phase the study once (haplospin phase), and impute that file from each panel",
                    panels_[0]->file().samples()[s], conflicts[s], num_sites, contig_));
  }

  // Writes the markers of the contig that any file has.
  void Combine(const ContigWeights& weights) {
    for (;;) {
      int64_t position = INT64_MAX;
      for (const auto& panel : panels_) {
        if (panel->IsAt(contig_)) position = std::min(position, panel->file().position());
      }
      if (position == INT64_MAX) break;
      for (UnionRecord& record : ReadPosition(position)) Combine(record, weights);
      if (records_.size() >= kRecordsPerWrite) Write();
    }
    Write();
  }

  std::vector<UnionRecord> ReadPosition(int64_t position) {
    PanelUnion at(panels_.size());
    for (size_t k = 0; k < panels_.size(); ++k) {
      ImputedFile& file = panels_[k]->file();
      for (; panels_[k]->IsAt(contig_) && file.position() == position; panels_[k]->Advance()) {
        std::vector<ImputedRecord> alts = file.ReadAlts();
        for (const ImputedRecord& alt : alts) {
          if (!options_.empirical.empty() && alt.is_typed) order_.AddTyped(k, alt.marker, alt.empirical_r2);
        }
        at.Add(k, std::move(alts));
      }
    }
    return std::move(at.records());
  }

  // The ALTs of a record are written one after the other: those of the panels as one record, the study's as another.
  void Combine(UnionRecord& record, const ContigWeights& weights) {
    CheckPloidy(record);
    for (const bool in_panel : {true, false}) {
      bool continues = false;
      for (UnionAlt& alt : record.alts) {
        if (alt.IsInPanel() != in_panel) continue;
        ImputedRecord& combined = Combine(record, alt, weights);
        combined.continues = continues;
        continues = true;
        if (!records_.empty() && records_[0].first_haplotype != combined.first_haplotype) Write();
        records_.push_back(std::move(combined));
      }
    }
  }

  ImputedRecord& Combine(const UnionRecord& record, UnionAlt& alt, const ContigWeights& weights) {
    ImputedRecord& first = alt.First();
    if (!first.in_panel) return first;
    weights.WeightsAt(first.marker.position, first.first_haplotype, weights_);
    if (const TypedSite* typed = weights.FindSite(first.marker); typed != nullptr) {
      first.is_typed = first.has_left_out = true;
      first.alleles = typed->alleles;
      left_out_.resize(typed->left_out.size());
      std::ranges::transform(typed->left_out, left_out_.begin(), UnpackProbability);
    } else {
      SetTyped(alt, first);
      first.has_left_out = Average(record, alt, &ImputedRecord::left_out, left_out_);
    }
    Average(record, alt, &ImputedRecord::dosages, dosages_);
    first.dosages = dosages_;
    first.calls.clear();  // the more probable alleles of the mean
    first.left_out = left_out_;
    return first;
  }

  void CheckPloidy(UnionRecord& record) const {
    const ImputedRecord& first = record.alts[0].First();
    for (const UnionAlt& alt : record.alts) {
      for (const auto& other : alt.in_files) {
        if (!other || other->first_haplotype == first.first_haplotype) continue;
        throw InputError(
            fmt::format("{}:{}: a sample has different ploidy in the files; impute the same study from each "
                        "panel",
                        contig_, first.marker.position));
      }
    }
  }

  // Sets the typed alleles of `first` to those of all files in which the marker is typed.
  static void SetTyped(const UnionAlt& alt, ImputedRecord& first) {
    for (const auto& record : alt.in_files) {
      if (!record || &*record == &first || !record->IsKnown()) continue;
      if (!first.is_typed) first.alleles = record->alleles;
      first.is_typed = true;
      for (size_t h = 0; h < first.alleles.size(); ++h) {
        if (record->alleles[h] != first.alleles[h]) first.alleles[h] = kMissingAllele;
      }
    }
  }

  // Sets the weighted mean of a probability of each haplotype over the panels with the ALT that have it, where a panel
  // without the ALT of a record that it has counts as 0: the ALTs of a record exclude each other. Returns false if none
  // has it.
  bool Average(const UnionRecord& record, const UnionAlt& alt, std::vector<float> ImputedRecord::*values,
               std::vector<float>& mean) {
    const size_t num_haplotypes = weights_.size() / panels_.size();
    mean.assign(num_haplotypes, 0);
    sums_.assign(num_haplotypes, 0);
    bool has_values = false;
    for (size_t k = 0; k < panels_.size(); ++k) {
      const ImputedRecord* own = Values(alt, k, values);
      if (own == nullptr && !record.IsWithout(k, alt)) continue;
      has_values = has_values || own != nullptr;
      for (size_t h = 0; h < num_haplotypes; ++h) {
        const float weight = weights_[k * num_haplotypes + h] + kSmallestWeight;
        if (own != nullptr) mean[h] += weight * (own->*values)[h];
        sums_[h] += weight;
      }
    }
    for (size_t h = 0; h < num_haplotypes; ++h) mean[h] /= std::max(sums_[h], kSmallestWeight);
    return has_values;
  }

  // Returns a file's record of the ALT if it has the values.
  static const ImputedRecord* Values(const UnionAlt& alt, size_t file, std::vector<float> ImputedRecord::*values) {
    const auto& own = alt.in_files[file];
    if (!own || !own->in_panel) return nullptr;
    if (values == &ImputedRecord::left_out && !(own->is_typed && own->has_left_out)) return nullptr;
    return &*own;
  }

  void Write() {
    if (records_.empty()) return;
    const std::vector<std::string>& names = panels_[0]->file().samples();
    const SampleTable samples = PresentSamples(names, records_[0].first_haplotype);
    if (!writer_) writer_.emplace(options_.out, options_.type, header_, SampleTable::Diploid(names), Fields());
    WriteRecords(contig_, samples, records_, *writer_);
    num_records_ += records_.size();
    records_.clear();
  }

  OutputFields Fields() const {
    OutputFields fields = CommonFields(panels_[0]->file(), options_.fields);
    fields.lds = true;
    fields.doubles_haploids =
        std::ranges::any_of(panels_, [](const auto& panel) { return panel->file().DoublesHaploids(); });
    return fields;
  }

  const MergeOptions& options_;
  std::vector<std::unique_ptr<PanelFile>> panels_, typed_;
  EmpiricalOrder order_;
  VariantHeader header_;
  std::optional<DosageWriter> writer_;
  std::string contig_;
  std::vector<ImputedRecord> records_;
  size_t num_records_ = 0;
  // Of a record:
  std::vector<float> weights_;  // [panels * haplotypes]
  std::vector<float> sums_;     // [haplotypes] of the weights of the panels that have the marker
  std::vector<float> dosages_, left_out_;
};

}  // namespace

MergeCounts MetaImpute(const MergeOptions& options) { return MetaImputer(options).Run(); }

}  // namespace haplospin
