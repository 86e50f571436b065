// The parameter counts of SPIN's tables 7 (genomic windows), 11 (Boston housing) and 12 (breast cancer), in millions.
// The configurations are section 4.3's (depth 4, one head, e = 16, h = f = 10; K = 5 and thus 2^5 classes and one for
// missing, 30 inputs and 20 targets), and NPT's for small data sets, which section A.4 keeps (depth 8, e = 128 and 32).
#include <gtest/gtest.h>

#include "learning/models/npt.h"
#include "learning/models/set_transformer.h"
#include "learning/models/spin.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

Attributes Concatenate(int64_t continuous, Attributes categorical) {
  Attributes attributes(static_cast<size_t>(continuous), Attribute{});
  attributes.insert(attributes.end(), categorical.begin(), categorical.end());
  return attributes;
}

const TableModelOptions kGenomics{.attributes = Attributes(50, {.classes = 33}), .width = 16, .depth = 4, .heads = 1};
const TableModelOptions kBoston{.attributes = Concatenate(13, {{.classes = 2}}), .width = 128, .depth = 8, .heads = 8};
const TableModelOptions kBreastCancer{
    .attributes = Concatenate(30, {{.classes = 2}}), .width = 32, .depth = 8, .heads = 8};

void ExpectMillions(const torch::nn::Module& model, double expected, double tolerance) {
  const double millions = static_cast<double>(ParameterCount(model)) / 1e6;
  EXPECT_NEAR(millions, expected, tolerance * expected);
}

TEST(ParameterCount, NptAsPublished) {
  ExpectMillions(NptImpl(kGenomics), 16.7, 0.003);
  ExpectMillions(NptImpl(kBoston), 168.0, 0.003);
  ExpectMillions(NptImpl(kBreastCancer), 51.3, 0.003);
}

TEST(ParameterCount, SetTransformerAsPublished) {
  ExpectMillions(SetTransformerImpl({kGenomics}), 33.4, 0.003);
  ExpectMillions(SetTransformerImpl({kBreastCancer}), 102.6, 0.003);
}

TEST(ParameterCount, SpinAsPublished) {
  ExpectMillions(SpinImpl({kGenomics}), 8.1, 0.01);
  ExpectMillions(SpinImpl({kBoston}), 127.2, 0.01);
  ExpectMillions(SpinImpl({kBreastCancer}), 16.9, 0.01);
}

}  // namespace
}  // namespace haplospin
