#include "learning/token_imputation/token_window.h"

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Indices into `typed` of the `count` markers nearest to a position: a run of them, or all.
std::pair<size_t, size_t> NearestRun(const HaplotypePanel& panel, std::span<const uint32_t> typed, int64_t position,
                                     size_t count) {
  const auto position_of = [&](size_t j) { return panel.marker(typed[j]).position; };
  const auto middle =
      std::ranges::partition_point(typed, [&](uint32_t m) { return panel.marker(m).position < position; });
  size_t begin = static_cast<size_t>(middle - typed.begin());
  size_t end = begin;
  while (end - begin < count && end - begin < typed.size()) {
    const bool take_left =
        end == typed.size() || (begin > 0 && position - position_of(begin - 1) <= position_of(end) - position);
    take_left ? --begin : ++end;
  }
  return {begin, end};
}

// The bits of one haplotype set at column `token` of every row that has the allele.
struct TokenBits {
  uint8_t* column;  // the first row's
  size_t stride;
  uint8_t bit;

  void Set(size_t row) const { column[row * stride] |= bit; }
};

uint8_t* Bytes(const torch::Tensor& tensor) { return static_cast<uint8_t*>(tensor.data_ptr()); }

// Calls use(marker, token, bit) for each marker of a window in the order of the columns.
template <typename Use>
void ForEachMarker(const TokenWindow& window, const TokenShape& shape, Use use) {
  for (size_t i = 0; i < window.inputs.size(); ++i) {
    use(window.inputs[i], i / shape.kmer, static_cast<uint8_t>(1u << i % shape.kmer));
  }
  for (size_t i = 0; i < window.targets.size(); ++i) {
    use(window.targets[i], shape.input_tokens() + i / shape.kmer, static_cast<uint8_t>(1u << i % shape.kmer));
  }
}

TokenTable EmptyTable(size_t rows, const TokenShape& shape) {
  const auto n = static_cast<int64_t>(rows);
  const auto d = static_cast<int64_t>(shape.tokens());
  return {torch::zeros({n, d}, torch::kUInt8), torch::zeros({n, d}, torch::kBool)};
}

}  // namespace

std::vector<uint32_t> UntypedMarkers(std::span<const uint32_t> typed, MarkerRange range) {
  std::vector<uint32_t> untyped;
  auto next = std::ranges::lower_bound(typed, static_cast<uint32_t>(range.begin));
  for (size_t m = range.begin; m < range.end; ++m) {
    if (next != typed.end() && *next == m) {
      ++next;
    } else {
      untyped.push_back(static_cast<uint32_t>(m));
    }
  }
  return untyped;
}

TokenWindow WindowAround(const HaplotypePanel& panel, std::span<const uint32_t> typed, std::vector<uint32_t> targets,
                         const TokenShape& shape) {
  HS_ASSERT(!targets.empty() && targets.size() <= shape.targets);
  const int64_t middle = (panel.marker(targets.front()).position + panel.marker(targets.back()).position) / 2;
  const auto [begin, end] = NearestRun(panel, typed, middle, shape.inputs);
  TokenWindow window{{typed.begin() + begin, typed.begin() + end}, std::move(targets)};
  window.inputs.resize(shape.inputs, kNoMarker);
  window.targets.resize(shape.targets, kNoMarker);
  return window;
}

std::vector<TokenWindow> SpreadWindows(const HaplotypePanel& panel, std::span<const uint32_t> typed,
                                       std::span<const uint32_t> untyped, const TokenShape& shape, size_t count) {
  HS_ASSERT(!untyped.empty() && count > 0);
  const size_t size = std::min(shape.targets, untyped.size());
  const size_t last = untyped.size() - size;
  std::vector<TokenWindow> windows;
  for (size_t i = 0; i < count; ++i) {
    const size_t first = count == 1 ? last / 2 : last * i / (count - 1);
    const auto targets = untyped.subspan(first, size);
    windows.push_back(WindowAround(panel, typed, {targets.begin(), targets.end()}, shape));
  }
  return windows;
}

std::vector<TokenWindow> TileWindows(const HaplotypePanel& panel, std::span<const uint32_t> typed,
                                     std::span<const uint32_t> untyped, const TokenShape& shape) {
  std::vector<TokenWindow> windows;
  for (size_t at = 0; at < untyped.size(); at += shape.targets) {
    const size_t size = std::min(shape.targets, untyped.size());
    const auto targets = untyped.subspan(std::min(at, untyped.size() - size), size);
    windows.push_back(WindowAround(panel, typed, {targets.begin(), targets.end()}, shape));
  }
  return windows;
}

TokenTable TokenTable::Rows(const torch::Tensor& rows) const {
  return {tokens.index_select(0, rows), absent.index_select(0, rows)};
}

MaskedTable TokenTable::ToTable(torch::Device device) const {
  MaskedTable table = Unmasked(tokens.to(device).to(torch::kFloat32));
  Hide(table, absent.to(device));
  return table;
}

TokenTable PanelTokens(const HaplotypePanel& panel, const TokenWindow& window, const TokenShape& shape) {
  const size_t n = panel.num_haplotypes();
  const size_t d = shape.tokens();
  TokenTable table = EmptyTable(n, shape);
  std::vector<uint64_t> bits(panel.words_per_marker());
  std::vector<bool> lacks(d, false), has(d, false);
  ForEachMarker(window, shape, [&](uint32_t marker, size_t token, uint8_t bit) {
    (marker == kNoMarker ? lacks : has)[token] = true;
    if (marker == kNoMarker) return;
    panel.CopyBits(marker, bits.data());
    const bool flip = BitIsRef(panel, marker, shape);
    const TokenBits column{Bytes(table.tokens) + token, d, bit};
    for (size_t h = 0; h < n; ++h) {
      if ((bits[h / 64] >> h % 64 & 1) != flip) column.Set(h);
    }
  });
  for (size_t token = 0; token < d; ++token) {
    const bool absent = token < shape.input_tokens() ? lacks[token] : !has[token];
    if (absent) table.absent.select(1, static_cast<int64_t>(token)).fill_(true);
  }
  return table;
}

TokenTable StudyTokens(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window,
                       const TokenShape& shape) {
  const size_t n = study.samples().num_haplotypes();
  const size_t d = shape.tokens();
  TokenTable table = EmptyTable(n, shape);
  table.absent.narrow(1, static_cast<int64_t>(shape.input_tokens()), static_cast<int64_t>(shape.target_tokens()))
      .fill_(true);
  ForEachMarker({window.inputs, {}}, shape, [&](uint32_t marker, size_t token, uint8_t bit) {
    const auto typed = std::ranges::lower_bound(study.typed(), marker);
    if (marker == kNoMarker || typed == study.typed().end() || *typed != marker) {
      table.absent.select(1, static_cast<int64_t>(token)).fill_(true);
      return;
    }
    const std::vector<uint8_t>& alleles = study.alleles(static_cast<size_t>(typed - study.typed().begin()));
    const bool flip = BitIsRef(panel, marker, shape);
    const TokenBits column{Bytes(table.tokens) + token, d, bit};
    for (size_t h = 0; h < n; ++h) {
      if (alleles[h] == kMissingAllele) {
        Bytes(table.absent)[h * d + token] = 1;
      } else if ((alleles[h] == 1) != flip) {
        column.Set(h);
      }
    }
  });
  return table;
}

Attributes TokenAttributes(const TokenShape& shape) { return Attributes(shape.tokens(), {.classes = shape.classes()}); }

torch::Tensor IsTargetColumn(const TokenShape& shape) {
  return torch::arange(static_cast<int64_t>(shape.tokens())) >= static_cast<int64_t>(shape.input_tokens());
}

torch::Tensor AlleleProbabilities(const torch::Tensor& logits, const TokenShape& shape) {
  const auto classes = static_cast<size_t>(shape.classes());
  torch::Tensor bits = torch::empty({shape.classes(), static_cast<int64_t>(shape.kmer)});
  std::vector<float> one_hot(classes, 0.0f);
  for (size_t c = 0; c < classes; ++c) {
    one_hot[c] = 1.0f;
    bits[static_cast<int64_t>(c)] = torch::tensor(KmerAlleleProbabilities(one_hot));
    one_hot[c] = 0.0f;
  }
  return torch::matmul(logits.to(torch::kFloat32).softmax(-1), bits.to(logits.device()));
}

}  // namespace haplospin
