// The weights of the imputer's network, as stored in its files.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/model_kind.h"
#include "core/provenance.h"
#include "core/safetensors.h"
#include "genotypes/imputation/models/network/allele_features.h"

namespace haplospin {

inline constexpr ModelKind kImputerModel = {"imputer", 3, "an imputer model", "haplospin train"};

// A multilayer perceptron inputs -> hidden -> hidden -> 1 with hard-swish, x * clamp(x / 6 + 1 / 2, 0, 1), after the
// hidden layers. The last kNumPanelFeatures inputs are the PanelFeatures.
struct MlpWeights {
  size_t inputs = 0;
  size_t hidden = 0;           // a multiple of 4
  std::vector<float> weight1;  // [hidden, inputs]
  std::vector<float> bias1;    // [hidden]
  std::vector<float> weight2;  // [hidden, hidden]
  std::vector<float> bias2;    // [hidden]
  std::vector<float> weight3;  // [hidden]
  float bias3 = 0;
};

struct ImputerWeights {
  // The attention logit of a candidate is forward * log F + backward * log B + kCopyScale * copy(features); see section
  // 2 of docs/method.md.
  float forward = 1;
  float backward = 1;
  MlpWeights copy;        // kNumCopyFeatures + kNumPanelFeatures inputs
  MlpWeights allele;      // kNumAlleleFeatures + kNumPanelFeatures inputs; corrects the minor allele's logit
  float panel_share = 0;  // logit of PanelShare()
};

// Returns the network without the inputs of the panel. They are the same for all candidates and markers, so they become
// part of the first layer's bias.
MlpWeights ForPanel(const MlpWeights& mlp, const PanelFeatures& panel);

// Returns the share of the panel's allele frequency in every probability.
float PanelShare(const ImputerWeights& weights);

// Throws InputError if the file is damaged or has another model.
ImputerWeights LoadImputerWeights(const std::string& path);

// Parses a file that was read; throws InputError as LoadImputerWeights() does.
ImputerWeights ParseImputerWeights(const Safetensors& file);

// Returns the file that LoadImputerWeights() reads.
Safetensors ToSafetensors(const ImputerWeights& weights, const Provenance& provenance = {},
                          const std::map<std::string, std::string>& results = {});

}  // namespace haplospin
