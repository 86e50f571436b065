// The imputer's network, whatever it runs on: vector kernels (cpu_backend.h) or LibTorch
// (imputer_training/torch_backend.h), which finds the candidates as well.
#pragma once

#include <cstddef>
#include <memory>

#include "imputation/copying/candidate_search.h"
#include "imputation/copying/match_features.h"
#include "imputation/network/allele_features.h"
#include "imputation/network/window_alleles.h"

namespace haplospin {

// Collects markers of one target haplotype and computes their probabilities, now or later. Used by one thread.
class NetworkComputation {
 public:
  virtual ~NetworkComputation() = default;

  // The candidates of an interval. `features` must not change before the next call, or Compute().
  virtual void AddInterval(const CopyFeatures& features, size_t num_candidates) = 0;

  // A marker in the interval added last, at which the candidates differ. `regression` is the probability of the minor
  // allele by WindowRegression::Predict(). `minor_probability` receives that of the network, at the latest in
  // Compute().
  virtual void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                         float* minor_probability) = 0;

  // Sets the probabilities of all markers added since the last call.
  virtual void Compute() = 0;
};

// The network with its weights. Several threads may use it, each with a computation of its own, which must not outlive
// the backend.
class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;

  virtual std::unique_ptr<NetworkComputation> NewComputation() = 0;

  // Finds the candidates of many targets where the network is computed; null if each thread is to find those of its own
  // samples. Used by one thread at a time.
  virtual CandidateSearch* candidate_search() { return nullptr; }

  // Of the candidates and states of the targets that candidate_search() is given at the same time.
  void LimitSearchBytes(size_t bytes) { max_search_bytes_ = bytes; }
  size_t max_search_bytes() const { return max_search_bytes_; }

  // The share of the panel's allele frequency in every probability: all that the network adds where the candidates
  // agree.
  virtual float panel_share() const = 0;

 private:
  size_t max_search_bytes_ = size_t{1} << 30;  // a device takes about as much
};

}  // namespace haplospin
