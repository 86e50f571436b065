#include "nn/layers/attention_kernels.h"

#include <algorithm>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/layers/attention_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

constexpr int64_t kMaxLanes = 16;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

int64_t Padded(int64_t rows) { return (rows + kMaxLanes - 1) / kMaxLanes * kMaxLanes; }

// [width, Padded(rows)], 0 in the padding: a vector holds the same entry of several rows.
void Transpose(const HeadRows& rows, int64_t width, std::vector<float>& transposed) {
  const int64_t padded = Padded(rows.rows);
  transposed.assign(static_cast<size_t>(width * padded), 0.0f);
  for (int64_t j = 0; j < rows.rows; ++j) {
    for (int64_t e = 0; e < width; ++e)
      transposed[static_cast<size_t>(e * padded + j)] = rows.first[j * rows.stride + e];
  }
}

void TransposeBack(const std::vector<float>& transposed, int64_t count, int64_t width, const MutableHeadRows& out) {
  const int64_t padded = Padded(count);
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t e = 0; e < width; ++e) out.first[j * out.stride + e] = transposed[static_cast<size_t>(e * padded + j)];
  }
}

// products[q][j] = rows of `left` (four at `stride`) times column j of `right` [width, padded], for `padded` columns.
HWY_INLINE void FourProducts(const float* left, int64_t stride, const float* right, int64_t width, int64_t padded,
                             float* products) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < padded; j += lanes) {
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t e = 0; e < width; ++e) {
      const V r = hn::LoadU(d, right + e * padded + j);
      s0 = hn::MulAdd(hn::Set(d, left[e]), r, s0);
      s1 = hn::MulAdd(hn::Set(d, left[stride + e]), r, s1);
      s2 = hn::MulAdd(hn::Set(d, left[2 * stride + e]), r, s2);
      s3 = hn::MulAdd(hn::Set(d, left[3 * stride + e]), r, s3);
    }
    hn::StoreU(s0, d, products + j);
    hn::StoreU(s1, d, products + padded + j);
    hn::StoreU(s2, d, products + 2 * padded + j);
    hn::StoreU(s3, d, products + 3 * padded + j);
  }
}

HWY_INLINE void OneProduct(const float* left, const float* right, int64_t width, int64_t padded, float* products) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < padded; j += lanes) {
    V s = hn::Zero(d);
    for (int64_t e = 0; e < width; ++e) s = hn::MulAdd(hn::Set(d, left[e]), hn::LoadU(d, right + e * padded + j), s);
    hn::StoreU(s, d, products + j);
  }
}

// In place: scores to weights, of which those in the padding are 0.
HWY_INLINE void Softmax(float* scores, int64_t count, int64_t padded, float scale) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = count; j < padded; ++j) scores[j] = kNothing;
  V largest = hn::Set(d, kNothing);
  const V by = hn::Set(d, scale);
  for (int64_t j = 0; j < padded; j += lanes) {
    const V s = hn::Mul(hn::LoadU(d, scores + j), by);
    hn::StoreU(s, d, scores + j);
    largest = hn::Max(largest, s);
  }
  largest = hn::MaxOfLanes(d, largest);
  V sum = hn::Zero(d);
  const V lowest = hn::Set(d, -80.0f);  // its exponential is next to nothing and still a normal number
  for (int64_t j = 0; j < padded; j += lanes) {
    const V shifted = hn::Sub(hn::LoadU(d, scores + j), largest);
    const V w = hn::IfThenElseZero(hn::Ge(shifted, lowest), hn::Exp(d, hn::Max(shifted, lowest)));
    hn::StoreU(w, d, scores + j);
    sum = hn::Add(sum, w);
  }
  const V inverse = hn::Div(hn::Set(d, 1.0f), hn::SumOfLanes(d, sum));
  for (int64_t j = 0; j < padded; j += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, scores + j), inverse), d, scores + j);
}

// out[e] = sum of weights[j] rows[j][e].
HWY_INLINE void WeightedSum(const float* weights, const HeadRows& rows, int64_t width, float* out) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t e = 0;
  for (; e + lanes <= width; e += lanes) {
    V sum0 = hn::Zero(d), sum1 = sum0;
    int64_t j = 0;
    for (; j + 2 <= rows.rows; j += 2) {
      sum0 = hn::MulAdd(hn::Set(d, weights[j]), hn::LoadU(d, rows.first + j * rows.stride + e), sum0);
      sum1 = hn::MulAdd(hn::Set(d, weights[j + 1]), hn::LoadU(d, rows.first + (j + 1) * rows.stride + e), sum1);
    }
    if (j < rows.rows) sum0 = hn::MulAdd(hn::Set(d, weights[j]), hn::LoadU(d, rows.first + j * rows.stride + e), sum0);
    hn::StoreU(hn::Add(sum0, sum1), d, out + e);
  }
  for (; e < width; ++e) {
    float sum = 0;
    for (int64_t j = 0; j < rows.rows; ++j) sum += weights[j] * rows.first[j * rows.stride + e];
    out[e] = sum;
  }
}

// sums[e][j] += factors[e] weights[j].
HWY_INLINE void AddOuter(const float* factors, const float* weights, int64_t width, int64_t padded, float* sums) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < padded; j += lanes) {
    const V w = hn::LoadU(d, weights + j);
    for (int64_t e = 0; e < width; ++e) {
      float* at = sums + e * padded + j;
      hn::StoreU(hn::MulAdd(hn::Set(d, factors[e]), w, hn::LoadU(d, at)), d, at);
    }
  }
}

// gradients of the weights -> of the scores, in place.
HWY_INLINE void SoftmaxBackward(const float* weights, float* gradients, int64_t padded, float scale) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum = hn::Zero(d);
  for (int64_t j = 0; j < padded; j += lanes) {
    sum = hn::MulAdd(hn::LoadU(d, weights + j), hn::LoadU(d, gradients + j), sum);
  }
  sum = hn::SumOfLanes(d, sum);
  const V by = hn::Set(d, scale);
  for (int64_t j = 0; j < padded; j += lanes) {
    const V w = hn::Mul(hn::LoadU(d, weights + j), by);
    hn::StoreU(hn::Mul(w, hn::Sub(hn::LoadU(d, gradients + j), sum)), d, gradients + j);
  }
}

void AttendHead(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                const MutableHeadRows& out) {
  static thread_local std::vector<float> transposed, scores;
  const int64_t padded = Padded(keys.rows), width = sizes.width;
  Transpose(keys, width, transposed);
  scores.resize(static_cast<size_t>(4 * padded));
  for (int64_t i = 0; i < queries.rows; i += 4) {
    const int64_t count = std::min<int64_t>(4, queries.rows - i);
    const float* query = queries.first + i * queries.stride;
    if (count == 4) {
      FourProducts(query, queries.stride, transposed.data(), width, padded, scores.data());
    } else {
      for (int64_t q = 0; q < count; ++q) {
        OneProduct(query + q * queries.stride, transposed.data(), width, padded, scores.data() + q * padded);
      }
    }
    for (int64_t q = 0; q < count; ++q) {
      float* row = scores.data() + q * padded;
      Softmax(row, keys.rows, padded, sizes.scale);
      WeightedSum(row, values, width, out.first + (i + q) * out.stride);
    }
  }
}

void AttendHeadBackward(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                        const HeadRows& out_gradient, const HeadGradients& gradients) {
  static thread_local std::vector<float> key_columns, value_columns, key_sums, value_sums, weights, changes;
  const int64_t padded = Padded(keys.rows), width = sizes.width;
  Transpose(keys, width, key_columns);
  Transpose(values, width, value_columns);
  key_sums.assign(key_columns.size(), 0.0f);
  value_sums.assign(key_columns.size(), 0.0f);
  weights.resize(static_cast<size_t>(padded));
  changes.resize(static_cast<size_t>(padded));
  for (int64_t i = 0; i < queries.rows; ++i) {
    const float* query = queries.first + i * queries.stride;
    const float* gradient = out_gradient.first + i * out_gradient.stride;
    OneProduct(query, key_columns.data(), width, padded, weights.data());
    Softmax(weights.data(), keys.rows, padded, sizes.scale);
    OneProduct(gradient, value_columns.data(), width, padded, changes.data());
    SoftmaxBackward(weights.data(), changes.data(), padded, sizes.scale);
    WeightedSum(changes.data(), keys, width, gradients.queries.first + i * gradients.queries.stride);
    AddOuter(query, changes.data(), width, padded, key_sums.data());
    AddOuter(gradient, weights.data(), width, padded, value_sums.data());
  }
  TransposeBack(key_sums, keys.rows, width, gradients.keys);
  TransposeBack(value_sums, keys.rows, width, gradients.values);
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(AttendHead);
HWY_EXPORT(AttendHeadBackward);

void AttendHead(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                const MutableHeadRows& out) {
  HWY_DYNAMIC_DISPATCH(AttendHead)(queries, keys, values, sizes, out);
}

void AttendHeadBackward(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                        const HeadRows& out_gradient, const HeadGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(AttendHeadBackward)(queries, keys, values, sizes, out_gradient, gradients);
}

}  // namespace haplospin
#endif
