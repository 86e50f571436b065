// The options of a run of imputation or phasing over the files of a study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/hla/hla_proteins.h"
#include "genotypes/genomics/pedigree.h"
#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/genomics/sites/wanted_sites.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/reading/personal_source.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {

class SelfTest;

// Aligned reads in place of a file of genotypes.
struct ReadsInput {
  std::shared_ptr<const AlignmentStudy> people;  // none: the study is a file of genotypes
  std::string sites;                             // VCF or BCF of the sites; empty for those of the panel
  int ploidy = 0;                                // 1 or 2, but for sex chromosomes; 0: that of the panel
};

struct StudyInput {
  std::string path;      // file, phased or not; "-" is standard input. Of reads and people, what stands for them in
                         // messages
  StudyOptions options;  // `unphased` is set according to the model and `rephase`, and `open` according to what follows
  ReadsInput reads;
  std::shared_ptr<const PersonalStudy> people;  // files of one person each, in place of one of genotypes; or none
  std::string pedigree;                         // PLINK's .fam; empty for none
  bool seeks_families = false;                  // find parents that the pedigree leaves open by their genotypes
  std::shared_ptr<const Pedigree> families;     // the pedigree, if there is one, with those found so
  bool finds_animals = false;                   // write people of the pedigree who have no genotypes
  bool rephase = false;                         // find the phase of every heterozygote, whatever the study says
};

// Returns whether the study is in files of genotypes, as its path says.
inline bool HasGenotypeFiles(const StudyInput& study) { return !study.reads.people && !study.people; }

struct PanelInput {
  std::string path;                      // phased file; empty to phase the study from itself
  std::vector<std::string> samples;      // samples to use; empty for all
  std::string map;                       // genetic map; empty for 1 cM per Mb
  std::optional<PloidyRegions> regions;  // regions of constant ploidy; by default those of the declared build
  double min_ratio = kDefaultMinRatio;   // share of the study's sites that must be in the panel (panel_overlap.h)
};

struct WindowOptions {
  std::optional<double> core;    // cM, as in WindowLengths; by default as the study asks for (window_lengths.h)
  std::optional<double> flank;   // cM
  std::optional<Region> region;  // region to impute; its windows are those of the contig, unless memory shortens one
};

struct MemoryLimits {
  size_t dosage_bytes = size_t{1} << 30;  // most bytes of a window's dosages; windows of large studies are shortened
  size_t max_bytes = 0;                   // most bytes of a panel window, the dosages and the model; 0 for no limit
  size_t model_bytes = 0;                 // bytes that the model takes, without the panel and the dosages
};

// Tables of HLA types (hla/hla_output.h). Paths are empty for none.
struct HlaTables {
  std::string types_path;
  std::string amino_acids_path;  // only with types
  std::shared_ptr<const HlaProteins> proteins;
};

struct OutputOptions {
  std::string path;  // "-" is standard output
  OutputType type = OutputType::kByExtension;
  OutputFields fields;  // fields of imputed records
  IndexType index = IndexType::kNone;
  std::vector<std::string> header_lines;  // "##key=value"
  std::vector<std::string> animals = {};  // names of people without genotypes, written after the samples
  HlaTables hla = {};
  std::shared_ptr<WantedSites> sites = {};   // the only ones that are written; null for all
  std::shared_ptr<SelfTest> self_test = {};  // takes what the records tell of each sample; null for nothing

  // Describes inputs and settings of a run that keeps what is complete, and goes on where another one with the same
  // text has ended (run_journal.h); empty for one that does not.
  std::string resumes = {};

  // Names and lengths in bp (0: unknown) of the contigs that the header declares. Empty: those of study and panel.
  ContigTable contigs = {};
};

// Several files of an option, each of other contigs; their path above stands for them in messages. Empty: the path is
// that of the file, or has a place for the contig (contig_files.h).
struct GenomeFiles {
  std::vector<std::string> panels, studies, maps;
};

struct ImputeJob {
  uint64_t seed = 1;  // of the random draws of phasing
  StudyInput study;
  PanelInput panel;
  WindowOptions windows;
  MemoryLimits memory;
  OutputOptions output;
  GenomeFiles genome;
};

}  // namespace haplospin
