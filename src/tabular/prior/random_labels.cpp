#include "tabular/prior/random_labels.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "tabular/prior/causal_graph.h"
#include "tabular/prior/observed_columns.h"

namespace haplospin {
namespace {

constexpr size_t kMaxParents = 15;

// Several functions may add up, as smooth trends and steps do.
Numbers DrawSignal(const std::vector<const Numbers*>& parents, RandomStream& random) {
  Numbers sum = DrawFunction(parents, random);
  if (random.Bernoulli(0.3)) {
    const Numbers more = DrawFunction(parents, random);
    const auto weight = static_cast<float>(random.Uniform());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * more[i];
    Standardize(sum);
  }
  if (random.Bernoulli(0.15)) {  // a function of a function
    sum = DrawFunction({&sum, parents[random.UniformInt(parents.size())]}, random);
  }
  return sum;
}

void AddLabelNoise(Numbers& label, const Numbers& driver, RandomStream& random) {
  const double deviation = random.Bernoulli(0.2) ? 0.01 : LogUniform(random, 0.02, 1.5);
  const bool depends_on_row = random.Bernoulli(0.2), has_tails = random.Bernoulli(0.2);
  for (size_t i = 0; i < label.size(); ++i) {
    double noise = deviation * random.Normal();
    if (has_tails) noise /= std::max(0.3, std::abs(random.Normal()));
    if (depends_on_row) noise *= std::exp(std::clamp<double>(driver[i], -2, 2));
    label[i] += static_cast<float>(noise);
  }
  Standardize(label);
}

}  // namespace

Numbers DrawNumberLabel(const std::vector<Numbers>& columns, RandomStream& random) {
  const std::vector<const Numbers*> parents = DrawParents(columns, kMaxParents, random);
  Numbers label = DrawSignal(parents, random);
  AddLabelNoise(label, *parents.front(), random);
  return label;
}

Numbers DrawClassLabel(const std::vector<Numbers>& columns, int64_t classes, RandomStream& random) {
  const std::vector<const Numbers*> parents = DrawParents(columns, kMaxParents, random);
  Numbers label;
  if (random.Bernoulli(0.6)) {
    Numbers signal = DrawSignal(parents, random);
    AddLabelNoise(signal, *parents.front(), random);
    label = CutIntoClasses(signal, classes, random);
  } else {
    const double noise = LogUniform(random, 0.02, 1.0);
    label.assign(columns.front().size(), 0);
    Numbers highest(label.size(), -1e30f);
    for (int64_t c = 0; c < classes; ++c) {
      const Numbers score = DrawFunction(parents, random);
      const double offset = 0.5 * random.Normal();
      for (size_t i = 0; i < label.size(); ++i) {
        const auto noisy = static_cast<float>(score[i] + offset + noise * random.Normal());
        if (noisy > highest[i]) highest[i] = noisy, label[i] = static_cast<float>(c);
      }
    }
  }
  const auto order = RandomOrder<float>(classes, random);
  for (float& c : label) c = order[static_cast<size_t>(c)];
  return label;
}

}  // namespace haplospin
