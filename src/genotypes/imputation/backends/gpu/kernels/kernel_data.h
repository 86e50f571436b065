// What the kernels of a GPU read and write. The host fills these structs; pointers are addresses on the device. NVRTC
// compiles this header, too, so it includes nothing that the host alone has.
#pragma once

#ifndef __CUDACC_RTC__
#include <cstdint>
#endif

#include "genotypes/genomics/probability_units.h"
#include "genotypes/imputation/models/copying/copying_constants.h"
#include "genotypes/imputation/models/network/network_constants.h"

namespace haplospin::kernels {

#ifdef __CUDACC_RTC__
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using int32_t = int;
#endif

inline constexpr uint32_t kLanes = 32;    // threads of a warp
inline constexpr uint32_t kPerLane = 16;  // states of a lane
inline constexpr uint32_t kStatesOfWarp = kLanes * kPerLane;
inline constexpr uint32_t kMaxWarps = 8;  // warps that share the states of a target
inline constexpr uint32_t kMaxSlots = kMaxCandidates;
inline constexpr uint32_t kPopulations = kNumPopulations;
inline constexpr uint32_t kMissing = 2;  // an allele that is not known
inline constexpr uint32_t kNone = 0xffffffff;

// Networks: inputs -> kHidden -> kHidden -> 1. Rows of the first layer are padded to whole vectors of four.
inline constexpr uint32_t kHidden = 32;
constexpr uint32_t PaddedInputs(uint32_t features) { return (features + 3) / 4 * 4; }
inline constexpr uint32_t kCopyInputs = PaddedInputs(kNumCopyFeatures);
inline constexpr uint32_t kAlleleInputs = PaddedInputs(kNumAlleleFeatures);
constexpr uint32_t NetworkSize(uint32_t inputs) { return kHidden * (inputs + kHidden + 3) + 4; }

// Threads of a block. A sample, a warp's share of the candidates, or 8 words of markers are a block's work; the
// recursions have a block of one to kMaxWarps warps for each target, or twice as many for the two of a phase.
inline constexpr uint32_t kThreads = 256;
inline constexpr uint32_t kWarpsOfBlock = kThreads / kLanes;

struct Anchor {
  uint32_t interval;
  uint32_t block;  // of the window (imputation/models/copying/ancestry.h)
  float length;    // cM
  float middle;    // cM
};

// Up to 32 adjacent markers of one anchor.
struct AlleleWord {
  uint32_t anchor;  // index of the anchor
  uint32_t marker;  // first marker
  uint32_t count;
};

struct Marker {
  float minor_frequency, logit_frequency, log_carriers, log_non_carriers, log_distance, in_interval, regression_r2;
  uint32_t interval;    // of its anchor
  uint32_t typed;       // index among the typed markers, or kNone
  uint32_t regression;  // its row in `regressions`, or kNone
  uint32_t minor_is_alt;
};

struct Regression {
  float intercept;
  uint32_t first_typed;
};

// A stretch of typed markers at which a state stands for one haplotype; it ends where the state's next one begins.
struct Segment {
  uint32_t begin;
  uint32_t haplotype;
};

// The states that one or several targets copy.
struct StateSet {
  uint64_t first_bits;   // of its part of GroupData::state_bits [blocks of 32 typed markers, warps * kStatesOfWarp]
  uint32_t first_state;  // of its part of GroupData::first_segment [states + 1]
  uint32_t num_states;
  uint32_t num_copied;  // haplotypes that can be copied
  uint32_t warps;
};

struct Target {
  uint32_t sample;
  uint32_t set;
  uint32_t version;  // row of GroupData::version_weight, or kNone
  float mismatch_probability;
};

struct Sample {
  uint64_t first_person;  // of its parts of the tables of people
  uint64_t first_copied;  // of its parts of the tables of blocks and people
  uint32_t num_people;
  uint32_t first_target;
  uint32_t num_targets;
  uint32_t ploidy;
  uint32_t first_row;  // of the output
};

// A window: what all targets share. H haplotypes of P samples, J typed markers, A anchors, M markers in W words.
struct WindowData {
  uint32_t num_haplotypes, num_samples, num_typed, num_anchors, num_markers, num_words, num_blocks;
  uint32_t typed_words;  // words of 32 typed markers of a row
  uint32_t num_regressions, regression_typed;
  float total_length;                // cM, of one haplotype
  const uint32_t* typed_rows;        // [H, typed_words]
  uint32_t* minor_rows;              // [H, W] 1 where a haplotype carries the minor allele
  const float* switching;            // [J] switch probability between typed markers j - 1 and j; 0 for the first
  const float* estimated_switching;  // [J] the same, as it was estimated: the search for errors of phase needs it
  const float* alt_frequency;        // [J]
  const float* typed_mean;           // [J] subtracted from alleles for the regression
  const float* centimorgans;         // [J + 2]
  const float* block_length;         // [blocks] cM, of one haplotype
  const Anchor* anchors;             // [A]
  const AlleleWord* words;           // [W]
  const Marker* markers;             // [M]
  const Regression* regressions;     // [regressions]
  const float* coefficients;         // [regression_typed, regressions]
  const uint32_t* sample_of;         // [H]
  const float* populations;          // [P, kPopulations]
  const float* copy_network;         // [NetworkSize(kCopyInputs)]
  const float* allele_network;       // [NetworkSize(kAlleleInputs)]
  float forward_weight, backward_weight, network_panel_share, panel_share, min_product;
  uint32_t max_candidates;  // of an anchor, at most kMaxSlots
};

// A group of T targets of S samples with R haplotypes of output, and their candidates.
struct GroupData {
  uint32_t num_targets, num_samples, num_rows, num_left_out;
  const Target* targets;  // [T]
  const Sample* samples;  // [S]
  const StateSet* sets;   // [sets]
  const uint32_t* first_segment;
  const Segment* segments;
  const uint8_t* alleles;          // [T, J]
  const uint32_t* bits;            // [T, typed_words]
  const uint32_t* observed;        // [T, typed_words]
  const float* information;        // [T, J + 1]
  const float* version_weight;     // [versions, J + 1]
  const uint8_t* version_swapped;  // [versions, J + 1]
  const uint32_t* order;           // [T] targets with as many warps together
  uint32_t first_ordered;          // in `order`: the first target or phase that a launch computes

  uint32_t* state_bits;  // 32 typed markers of a state in a word
  float* work;           // [haplotypes that are computed at the same time, WorkOfHaplotype()]
  uint32_t* count;       // [T, A]
  uint32_t* state;       // [T, A, kMaxSlots]
  float* forward;        // [T, A, kMaxSlots] copying probability
  float* backward;       // [T, A, kMaxSlots]
  float* at_left;        // [T, A, kMaxSlots] factor at the left end
  float* at_right;       // [T, A, kMaxSlots]
  float* best_forward;   // [T, A] largest copying probability of the candidates
  float* best_backward;  // [T, A]
  float* carried;        // [T, A, kMaxSlots, kNumBestFeatures]
  float* log_sum;        // [T, A]
  float* log_squares;    // [T, A]

  // Each of these takes the memory of the array that it is computed from, slot by slot, and that nothing reads later.
  uint32_t* haplotype;  // [T, A, kMaxSlots] from `state`
  float* logit;         // [T, A, kMaxSlots] of the attention; from `forward`
  float* left_weight;   // [T, A, kMaxSlots] the attention's weight at the left end; from `at_left`
  float* right_weight;  // [T, A, kMaxSlots] from `at_right`

  // People: the panel samples among the candidates of a study sample.
  uint32_t* is_candidate;   // [S, PeopleWords()] a bit for each panel sample
  uint32_t* people_before;  // [S, PeopleWords()] number of people before each word
  uint32_t* num_people;     // [S]
  uint32_t* people;         // panel sample of each person
  uint64_t* everywhere;     // cM copied from each person, in steps of 1 / kCopiedUnit
  float* share;             // each person's share of the populations
  float* population_log_share;
  uint64_t* copied;  // [blocks, people] as everywhere
  float* log_share;  // [blocks, people]

  float* minor;                    // [T, M] probability of the minor allele
  float* left_out;                 // [T, J] probability of ALT given all other alleles
  float* phase_ratio;              // [T / 2, J] PhaseRatio::log at the heterozygotes
  const uint8_t* output_alleles;   // [R, J]
  const uint32_t* left_out_typed;  // [num_left_out] typed markers of the output
  uint16_t* alt_rows;              // [R, M] probabilities of ALT, as ProbabilityTable has them
  uint16_t* left_out_rows;         // [R, num_left_out]
};

struct KernelData {
  WindowData window;
  GroupData group;
};

// Markers of a window as they come from the panel, to be transposed.
struct MarkerBits {
  const uint32_t* alt;  // [markers, haplotype_words] a bit for each haplotype
  uint32_t haplotype_words;
  uint32_t first_marker;           // of `alt`
  uint32_t first_word, num_words;  // words of WindowData::words that are set
};

// Steps of a sum of cM that must not depend on the order of its terms.
inline constexpr float kCopiedUnit = 4294967296.0f;

constexpr uint32_t NumWords(uint32_t bits) { return (bits + 31) / 32; }

// Floats of a haplotype's workspace in the recursions: the forward states before each block of 32 typed markers and
// those of one block, and their sums.
constexpr uint64_t WorkOfHaplotype(uint32_t num_typed, uint32_t warps) {
  return uint64_t{NumWords(num_typed) + 32} * (uint64_t{warps} * kStatesOfWarp + 2);
}

}  // namespace haplospin::kernels
