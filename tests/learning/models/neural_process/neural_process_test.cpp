// Properties of every neural process.
#include "learning/models/neural_process/neural_process.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>

#include "haplospin/errors.h"
#include "learning/models/neural_process/anp.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

ProcessOptions SmallOptions(const std::string& model, int64_t dx, int64_t dy) {
  ProcessOptions options;
  options.model = model;
  options.dx = dx;
  options.dy = dy;
  options.width = 16;
  options.heads = 4;
  options.layers = 2;
  options.pseudo_tokens = 5;
  options.kernel_width = 12;
  options.inducing_points = 6;
  options.test_samples = 7;
  options.levels = 3;
  options.kernel_size = 5;
  options.points_per_unit = 16;
  options.noise = DefaultNoise(model);
  return options;
}

// The first two targets span the range, so that the others may change without convcnp's grid changing.
ProcessTasks RandomTasks(int64_t b, int64_t m, int64_t n, int64_t dx, int64_t dy) {
  const auto inputs = [&](int64_t count) { return torch::rand({b, count, dx}) * 4 - 2; };
  ProcessTasks tasks{inputs(m), torch::randn({b, m, dy}), inputs(n), torch::randn({b, n, dy})};
  tasks.target_x.select(1, 0).fill_(-2.5);
  tasks.target_x.select(1, 1).fill_(2.5);
  return tasks;
}

Prediction SeededPrediction(NeuralProcess& model, const ProcessTasks& tasks) {
  torch::manual_seed(99);
  const torch::NoGradGuard no_grad;
  return model.Predict(tasks.context_x, tasks.context_y, tasks.target_x);
}

double LargestDifference(const Prediction& a, const Prediction& b) {
  return std::max((a.mean - b.mean).abs().max().item<double>(), (a.sd - b.sd).abs().max().item<double>());
}

struct Setting {
  std::string model;
  int64_t dx;
  bool variant = false;  // of the translation equivariant transformers: separate reads, and sines of differences
};

std::vector<Setting> AllSettings() {
  std::vector<Setting> settings;
  for (const std::string& model : ProcessModels()) {
    for (const int64_t dx : {1, 2, 3}) {
      if (dx == 1 || model != "convcnp") settings.push_back({model, dx});
    }
    if (model == "te-tnp" || model == "te-pt-tnp") settings.push_back({model, 2, true});
  }
  return settings;
}

class EveryProcess : public testing::TestWithParam<Setting> {
 protected:
  std::shared_ptr<NeuralProcess> Make(int64_t dy = 1) {
    torch::manual_seed(7);
    ProcessOptions options = SmallOptions(GetParam().model, GetParam().dx, dy);
    options.separate_reads = GetParam().variant;
    options.kernel_frequencies = GetParam().variant ? 3 : 0;
    auto model = MakeNeuralProcess(options);
    // Initial weights are small; larger ones reveal dependences that should not exist.
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : model->parameters()) parameter.mul_(1.5);
    model->eval();
    return model;
  }
  int64_t dx() const { return GetParam().dx; }
  bool Bootstraps() const { return GetParam().model == "banp"; }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryProcess, testing::ValuesIn(AllSettings()), [](const auto& info) {
  std::string name = info.param.model + std::to_string(info.param.dx) + (info.param.variant ? "dVariant" : "d");
  std::erase(name, '-');
  return name;
});

TEST_P(EveryProcess, HasTheShapesOfItsTargets) {
  auto model = Make(2);
  const Prediction p = SeededPrediction(*model, RandomTasks(3, 6, 5, dx(), 2));
  EXPECT_EQ(p.mean.sizes().slice(1).vec(), (std::vector<int64_t>{3, 5, 2}));
  EXPECT_EQ(p.sd.sizes(), p.mean.sizes());
  EXPECT_TRUE((p.sd > 0).all().item<bool>());
}

TEST_P(EveryProcess, DoesNotSeeTheOrderOfTheContext) {
  if (Bootstraps()) GTEST_SKIP() << "its bootstraps are drawn by position; see BootstrapAnp";
  auto model = Make();
  ProcessTasks tasks = RandomTasks(2, 9, 4, dx(), 1);
  const Prediction before = SeededPrediction(*model, tasks);
  const torch::Tensor order = torch::randperm(9);
  tasks.context_x = tasks.context_x.index_select(1, order);
  tasks.context_y = tasks.context_y.index_select(1, order);
  EXPECT_LT(LargestDifference(SeededPrediction(*model, tasks), before), 1e-5);
  tasks.context_y = tasks.context_y.flip(1);
  EXPECT_GT(LargestDifference(SeededPrediction(*model, tasks), before), 1e-4);  // but it sees which y is where
}

TEST_P(EveryProcess, PredictsEachTargetByItself) {
  auto model = Make();
  ProcessTasks tasks = RandomTasks(2, 6, 5, dx(), 1);
  const Prediction before = SeededPrediction(*model, tasks);
  const torch::Tensor x = tasks.target_x.clone();
  x.narrow(1, 2, 2).add_(0.5 * (x.narrow(1, 2, 2) < 0) - 0.5 * (x.narrow(1, 2, 2) >= 0));
  tasks.target_x = x;
  const Prediction after = SeededPrediction(*model, tasks);
  const auto others = torch::tensor({0, 1, 4});
  EXPECT_LT((after.mean - before.mean).index_select(2, others).abs().max().item<double>(), 1e-5);
  EXPECT_LT((after.sd - before.sd).index_select(2, others).abs().max().item<double>(), 1e-5);
  EXPECT_GT((after.mean - before.mean).narrow(2, 2, 2).abs().max().item<double>(), 1e-5);
}

TEST_P(EveryProcess, SaysWhetherItMovesWithItsInputs) {
  auto model = Make();
  ProcessTasks tasks = RandomTasks(2, 8, 5, dx(), 1);
  const Prediction before = SeededPrediction(*model, tasks);
  tasks.context_x = tasks.context_x + 2.5;  // a multiple of convcnp's spacing
  tasks.target_x = tasks.target_x + 2.5;
  const double moved = LargestDifference(SeededPrediction(*model, tasks), before);
  if (model->IsTranslationEquivariant()) {
    EXPECT_LT(moved, 1e-5);
  } else {
    EXPECT_GT(moved, 1e-3);
  }
}

TEST_P(EveryProcess, PredictsFromNothing) {
  auto model = Make();
  ProcessTasks tasks = RandomTasks(2, 0, 4, dx(), 1);
  const Prediction p = SeededPrediction(*model, tasks);
  EXPECT_TRUE(p.mean.isfinite().all().item<bool>());
  EXPECT_TRUE(p.sd.isfinite().all().item<bool>());
}

TEST_P(EveryProcess, AllOfItIsTrained) {
  auto model = Make();
  model->train();
  torch::manual_seed(3);
  const torch::Tensor loss = model->Loss(RandomTasks(2, 6, 5, dx(), 1));
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  loss.backward();
  for (const auto& item : model->named_parameters()) {
    EXPECT_TRUE(item.value().grad().defined()) << item.key();
  }
}

TEST(ProcessTranslation, TheEquivariantOnes) {
  for (const std::string& name : ProcessModels()) {
    const bool expected = name == "te-tnp" || name == "te-pt-tnp" || name == "rcnp" || name == "convcnp";
    EXPECT_EQ(MakeNeuralProcess(SmallOptions(name, 1, 1))->IsTranslationEquivariant(), expected) << name;
  }
}

TEST(BootstrapAnp, SeesTheOrderOfTheContextOnlyThroughItsDraws) {
  // With one context point there is nothing to permute, and the spread over bootstraps comes from the residuals alone:
  // the only residual, centered, is 0.
  torch::manual_seed(4);
  auto model = MakeNeuralProcess(SmallOptions("banp", 1, 1));
  model->eval();
  const Prediction one = SeededPrediction(*model, RandomTasks(2, 1, 4, 1, 1));
  EXPECT_LT((one.mean - one.mean.narrow(0, 0, 1)).abs().max().item<double>(), 1e-5);
  // With many bootstraps the mixture's mean hardly depends on the draws, so neither on the order.
  ProcessOptions options = SmallOptions("banp", 1, 1);
  options.test_samples = 4000;
  auto many = MakeNeuralProcess(options);
  many->eval();
  ProcessTasks tasks = RandomTasks(1, 8, 3, 1, 1);
  const Prediction before = SeededPrediction(*many, tasks);
  const torch::Tensor order = torch::randperm(8);
  tasks.context_x = tasks.context_x.index_select(1, order);
  tasks.context_y = tasks.context_y.index_select(1, order);
  const Prediction after = SeededPrediction(*many, tasks);
  const double error = 6 * before.mean.std(0).max().item<double>() / std::sqrt(4000.0);
  EXPECT_LT((MixtureMean(after) - MixtureMean(before)).abs().max().item<double>(), error + 1e-6);
}

TEST(KlDivergence, IsTheClosedFormAndItsMonteCarloEstimate) {
  torch::manual_seed(5);
  const auto positive = [] { return torch::rand({3, 4}, torch::kFloat64) + 0.3; };
  const LatentGaussian q{torch::randn({3, 4}, torch::kFloat64), positive()};
  const LatentGaussian p{torch::randn({3, 4}, torch::kFloat64), positive()};
  const torch::Tensor kl = KlDivergence(q, p);
  // Element by element, with covariance matrices: 1/2 (tr(Sp^-1 Sq) + d' Sp^-1 d - k + log det Sp - log det Sq).
  for (int64_t b = 0; b < 3; ++b) {
    const torch::Tensor sq = torch::diag(q.sd[b].square()), sp = torch::diag(p.sd[b].square());
    const torch::Tensor d = p.mean[b] - q.mean[b], inverse = sp.inverse();
    const double expected =
        0.5 * (torch::trace(inverse.mm(sq)) + d.dot(inverse.mv(d)) - 4 + torch::logdet(sp) - torch::logdet(sq))
                  .item<double>();
    EXPECT_NEAR(kl[b].item<double>(), expected, 1e-10);
  }
  const torch::Tensor z = q.mean + q.sd * torch::randn({200000, 3, 4}, torch::kFloat64);
  const auto log_density = [&](const LatentGaussian& g) {
    return (-0.5 * ((z - g.mean) / g.sd).square() - g.sd.log()).sum(-1);
  };
  EXPECT_TRUE(torch::allclose((log_density(q) - log_density(p)).mean(0), kl, 0.05, 0.05));
  EXPECT_EQ(KlDivergence(q, q).abs().max().item<double>(), 0.0);
}

TEST(LatentAnp, ItsLossIsTheEvidenceLowerBound) {
  // With a posterior that equals the prior there is no KL: the loss is the mean of -log p over samples.
  for (const char* name : {"anp", "ipnp"}) {
    torch::manual_seed(6);
    auto model = std::dynamic_pointer_cast<LatentAnp>(MakeNeuralProcess(SmallOptions(name, 1, 1)));
    ASSERT_NE(model, nullptr);
    const ProcessTasks tasks = RandomTasks(2, 6, 5, 1, 1);
    torch::manual_seed(8);
    const double loss = model->Loss(tasks).item<double>();
    const LatentGaussian prior = model->Latent(tasks.context_x, tasks.context_y);
    const LatentGaussian posterior = model->Latent(torch::cat({tasks.context_x, tasks.target_x}, 1),
                                                   torch::cat({tasks.context_y, tasks.target_y}, 1));
    const double kl = KlDivergence(posterior, prior).mean().item<double>() / (6 + 5);
    EXPECT_GT(kl, 0);
    EXPECT_TRUE(std::isfinite(loss));
    EXPECT_GT(loss - kl, 0.0);  // -log p of random weights on random data
  }
}

TEST(ProcessParameters, AreAsManyAsTheFormulaeSay) {
  const auto linear = [](int64_t in, int64_t out) { return in * out + out; };
  const auto mlp = [&](int64_t in, int64_t w, int64_t out, int64_t hidden) {
    return linear(in, w) + (hidden - 1) * linear(w, w) + linear(w, out);
  };
  const auto count = [](const std::string& name) {
    ProcessOptions options;
    options.model = name;
    return ParameterCount(*MakeNeuralProcess(options));
  };
  const int64_t w = 128, head = mlp(w, w, 2, 2);
  const int64_t block = 4 * linear(w, w) + 2 * 2 * w + mlp(w, w, w, 2);
  const int64_t rho = mlp(9, w, 8, 2), phi = mlp(8, w, 8, 2);  // the last layer has no phi
  EXPECT_EQ(count("cnp"), mlp(2, w, w, 5) + mlp(w + 1, w, 2, 2));
  EXPECT_EQ(count("rcnp"), mlp(2, w, w, 5) + head);
  EXPECT_EQ(count("tnp"), mlp(3, w, w, 2) + 5 * block + head);
  EXPECT_EQ(count("pt-tnp"), mlp(3, w, w, 2) + 10 * block + 32 * w + head);
  EXPECT_EQ(count("lbanp"), count("pt-tnp"));
  EXPECT_EQ(count("te-tnp"), mlp(1, w, w, 2) + 5 * (block + rho) + 4 * phi + w + head);
  EXPECT_EQ(count("te-pt-tnp"),
            mlp(1, w, w, 2) + 10 * (block + rho) + 8 * phi + w + 32 * (w + 1) + 2 * linear(w, w) + head);
  EXPECT_EQ(count("convcnp"), 2 + linear(2, w) + 6 * (9 * w * w + w) + 5 * (9 * 2 * w * w + w) + head);
  // Inducing points take the place of the keys' MLP.
  EXPECT_EQ(count("canp") - count("cipnp"), mlp(1, w, w, 1) - 2 * 32 * w);
  EXPECT_EQ(count("anp") - count("ipnp"), mlp(1, w, w, 1) - 2 * 32 * w);
  EXPECT_EQ(count("banp") - count("canp"), linear(2 * w, w));
}

TEST(Prediction, OfAMixture) {
  const Prediction p{torch::tensor({-1.0, 3.0}, torch::kFloat64).view({2, 1, 1, 1}),
                     torch::tensor({0.5, 2.0}, torch::kFloat64).view({2, 1, 1, 1})};
  const auto value = [](double y) { return torch::full({1, 1, 1}, y, torch::kFloat64); };
  const auto density = [](double y, double mean, double sd) {
    return std::exp(-0.5 * (y - mean) * (y - mean) / sd / sd) / sd / std::sqrt(2 * std::numbers::pi);
  };
  EXPECT_NEAR(LogLikelihood(p, value(0.2)).item<double>(),
              std::log(0.5 * density(0.2, -1, 0.5) + 0.5 * density(0.2, 3, 2)), 1e-12);
  EXPECT_NEAR(MixtureMean(p).item<double>(), 1.0, 1e-12);
  EXPECT_NEAR(MixtureSd(p).item<double>(), std::sqrt(0.5 * (0.25 + 4) + 4), 1e-12);
  for (const double probability : {0.01, 0.3, 0.5, 0.9}) {
    EXPECT_NEAR(MixtureCdf(p, MixtureQuantile(p, probability)).item<double>(), probability, 1e-6);
  }
}

TEST(ProcessOptions, SurviveTheirTextForm) {
  ProcessOptions options = SmallOptions("te-pt-tnp", 2, 3);
  options.update_locations = false;
  options.noise = NoiseModel::kHomogeneous;
  const nlohmann::json json = options;
  EXPECT_EQ(json.at("noise"), "homogeneous");
  EXPECT_EQ(nlohmann::json(json.get<ProcessOptions>()), json);
  EXPECT_THROW(nlohmann::json::object().get<ProcessOptions>(), nlohmann::json::exception);
  nlohmann::json wrong = json;
  wrong["noise"] = "heavy-tailed";
  EXPECT_THROW(wrong.get<ProcessOptions>(), nlohmann::json::exception);
}

// The check of damaged files must refuse no good one.
TEST(ProcessOptions, NoModelHasFewerThanTheMinWeights) {
  for (const std::string& model : ProcessModels()) {
    for (const int64_t layers : {1, 7}) {
      ProcessOptions options = SmallOptions(model, 1, 1);
      options.layers = layers;
      options.pseudo_tokens = options.inducing_points = 50;
      const double min = MinWeights(options);
      EXPECT_GT(min, 0);
      EXPECT_LE(min, static_cast<double>(ParameterCount(*MakeNeuralProcess(options)))) << model;
    }
  }
}

TEST(ProcessOptions, MustFitTogether) {
  const auto expect_refused = [](auto change) {
    ProcessOptions options = SmallOptions("te-tnp", 1, 1);
    change(options);
    EXPECT_THROW(CheckProcessOptions(options, "file"), InputError);
  };
  expect_refused([](auto& o) { o.model = "gpt"; });
  expect_refused([](auto& o) { o.heads = 3; });
  expect_refused([](auto& o) { o.width = 0; });
  expect_refused([](auto& o) { o.layers = int64_t{1} << 40; });
  expect_refused([](auto& o) { o.kernel_size = 4; });
  expect_refused([](auto& o) {
    o.model = "convcnp";
    o.dx = 2;
  });
}

}  // namespace
}  // namespace haplospin
