// What is fitted to a split of the table without a network.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "tabular/linear/linear_model.h"
#include "tabular/trees/boosted_trees.h"

namespace haplospin {

class TableFit : public torch::nn::Module {
 public:
  TableFit(const Attributes& attributes, const torch::Tensor& is_target)
      : linear_(register_module("linear", std::make_shared<LinearModel>(attributes, is_target))),
        trees_(register_module("trees", std::make_shared<BoostedTrees>(attributes, is_target))),
        added_trees_(register_module("added_trees", std::make_shared<BoostedTrees>(attributes, is_target))) {}

  // All of these rows have all targets. The validation rows decide on the number of trees.
  void Fit(const EncodedTable& training, const EncodedTable& validation, uint64_t seed) {
    linear_->Fit(training);
    trees_->Fit(training, validation, nullptr, seed);
    added_trees_->Fit(training, validation, linear_.get(), seed);
  }

  const std::shared_ptr<LinearModel>& linear() const { return linear_; }
  BoostedTrees& trees() const { return *trees_; }
  BoostedTrees& added_trees() const { return *added_trees_; }  // to the linear fit

 private:
  std::shared_ptr<LinearModel> linear_;
  std::shared_ptr<BoostedTrees> trees_, added_trees_;
};

}  // namespace haplospin
