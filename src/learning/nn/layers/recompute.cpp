#include "learning/nn/layers/recompute.h"

#include <ATen/autocast_mode.h>
#include <torch/autograd.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/nn/random_state.h"
#include "learning/nn/torch_compat.h"

namespace haplospin {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool WantsGradient(const Tensor& tensor) { return tensor.requires_grad(); }

// A block and the state in which it was first run.
struct Computation : torch::CustomClassHolder {
  Computation(RecomputedBlock block, torch::Device device)
      : block(std::move(block)),
        device(device),
        generator(GeneratorState(device)),
        mixed_precision(compat::IsAutocastEnabled(device.type())) {}

  variable_list RunAgain(const variable_list& inputs) const {
    const torch::AutoGradMode with_gradients(true);
    const GeneratorRewound rewound(device, generator);
    const MixedPrecision mixed(device, mixed_precision);
    return block(inputs);
  }

  const RecomputedBlock block;
  const torch::Device device;
  const Tensor generator;
  const bool mixed_precision;
};

struct RecomputeFunction : torch::autograd::Function<RecomputeFunction> {
  // `leaves`: the parameters that require gradients.
  static variable_list forward(AutogradContext* context, const c10::intrusive_ptr<Computation>& computation,
                               const at::TensorList& inputs, const at::TensorList& leaves) {
    variable_list saved = inputs.vec();
    saved.insert(saved.end(), leaves.begin(), leaves.end());
    context->save_for_backward(saved);
    context->saved_data["inputs"] = static_cast<int64_t>(inputs.size());
    context->saved_data["computation"] = c10::IValue::make_capsule(computation);
    const variable_list outputs = computation->block(inputs.vec());
    // Gradients are off here, so that the copies of the weights that autocast keeps would pass none on.
    at::autocast::clear_cache();
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& output_gradients) {
    HS_ASSERT(!torch::GradMode::is_enabled());
    const auto computation =
        c10::static_intrusive_pointer_cast<Computation>(context->saved_data["computation"].toCapsule());
    variable_list inputs = context->get_saved_variables();
    const auto first_leaf = inputs.begin() + context->saved_data["inputs"].toInt();
    const variable_list leaves(first_leaf, inputs.end());
    inputs.erase(first_leaf, inputs.end());
    // Detached from their own computation, which autograd handles separately.
    for (Tensor& input : inputs) input = input.detach().requires_grad_(input.requires_grad());

    variable_list wanted;
    std::ranges::copy_if(inputs, std::back_inserter(wanted), WantsGradient);
    wanted.insert(wanted.end(), leaves.begin(), leaves.end());
    const variable_list gradients =
        torch::autograd::grad(computation->RunAgain(inputs), wanted, output_gradients, /*retain_graph=*/false,
                              /*create_graph=*/false, /*allow_unused=*/true);

    variable_list result{Tensor()};  // `computation` has no gradient
    auto next = gradients.begin();
    for (const Tensor& input : inputs) result.push_back(input.requires_grad() ? *next++ : Tensor());
    result.insert(result.end(), next, gradients.end());
    return result;
  }
};

}  // namespace

std::vector<Tensor> Recompute(const RecomputedBlock& block, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& parameters) {
  std::vector<Tensor> leaves;
  std::ranges::copy_if(parameters, std::back_inserter(leaves), WantsGradient);
  if (!torch::GradMode::is_enabled() || (leaves.empty() && std::ranges::none_of(inputs, WantsGradient))) {
    return block(inputs);
  }
  const torch::Device device = (inputs.empty() ? leaves : inputs).front().device();
  return RecomputeFunction::apply(c10::make_intrusive<Computation>(block, device), at::TensorList(inputs),
                                  at::TensorList(leaves));
}

}  // namespace haplospin
