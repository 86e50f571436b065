#include "imputation/gpu/gpu_backend.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/log.h"
#include "core/parse_number.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "imputation/gpu/cuda_driver.h"
#include "imputation/gpu/group_kernels.h"
#include "imputation/gpu/host_group.h"
#include "imputation/gpu/kernel_code.h"
#include "imputation/gpu/kernel_window.h"
#include "imputation/gpu/phase_kernels.h"
#include "imputation/imputing/stage_times.h"

namespace haplospin {
namespace {

// Share of the device's free memory that a group takes; the rest is for its people and for other programs.
constexpr double kShareOfMemory = 0.6;

// More targets together are not faster: these fill the multiprocessors of a large GPU twice.
constexpr size_t kMaxTargets = 2048;

// Groups whose data are in memory of the host at the same time: one is prepared, one computed, and the rows of one set.
constexpr size_t kHostGroups = 3;

// Samples of one batch after the other are imputed in groups, in the background. While a group is computed, the next
// one is prepared, and the rows of the one before are set.
class GpuWindow : public BackendWindow {
 public:
  GpuWindow(const WindowTask& task, Device& device, const ImputerWeights& weights, size_t max_host_bytes);
  ~GpuWindow() noexcept override;

  std::vector<PhaseEvidence> ExaminePhases(const PhaseSearch& search, std::span<const ExaminedPhase> phases) override {
    return phase_kernels_.Examine(search, phases);
  }
  void Impute(std::unique_ptr<const SampleBatch> batch) override;
  void Finish() override;

 private:
  using Batches = std::vector<std::unique_ptr<const SampleBatch>>;

  void StartBatches();
  void ImputeBatches(const Batches& batches);
  std::vector<SampleOfBatch> NextSamples(std::span<const SampleOfBatch> samples) const;
  void Prepare(std::vector<SampleOfBatch> samples, HostGroup& group) const;
  void Compute(HostGroup& group);
  void SetRows(HostGroup& group) const;
  size_t MaxTargets(size_t max_host_bytes) const;

  const WindowTask task_;
  Device& device_;
  const KernelWindow window_;
  PhaseKernels phase_kernels_;
  GroupKernels kernels_;
  HostGroup groups_[kHostGroups];
  const size_t max_targets_;
  Batches waiting_;  // fewer than fill a group
  size_t waiting_targets_ = 0;
  Batches running_;
  tbb::task_group background_;
};

GpuWindow::GpuWindow(const WindowTask& task, Device& device, const ImputerWeights& weights, size_t max_host_bytes)
    : task_(task),
      device_(device),
      window_(device, task.panel, weights),
      phase_kernels_(device, window_),
      kernels_(device, window_),
      groups_{{device, task.panel}, {device, task.panel}, {device, task.panel}},
      max_targets_(MaxTargets(max_host_bytes)) {}

GpuWindow::~GpuWindow() noexcept {
  background_.cancel();
  background_.wait();
}

size_t GpuWindow::MaxTargets(size_t max_host_bytes) const {
  const auto of_device = static_cast<size_t>(kShareOfMemory * static_cast<double>(device_.FreeBytes()));
  const kernels::WindowData& window = window_.data();
  const size_t of_host = kHostGroups * (size_t{window.num_markers} * sizeof(uint16_t) + size_t{window.num_typed} * 8 +
                                        kernels::kStatesOfWarp * 2 * sizeof(kernels::Segment));
  const size_t most = std::min(of_device / GroupKernels::BytesOfTarget(window), max_host_bytes / of_host);
  return std::clamp<size_t>(most, 1, kMaxTargets);
}

void GpuWindow::Impute(std::unique_ptr<const SampleBatch> batch) {
  for (const SampleTargets& sample : batch->samples) waiting_targets_ += sample.num_targets();
  waiting_.push_back(std::move(batch));
  if (waiting_targets_ >= max_targets_) StartBatches();
}

void GpuWindow::Finish() {
  StartBatches();
  background_.wait();
}

void GpuWindow::StartBatches() {
  background_.wait();
  running_ = std::exchange(waiting_, {});
  waiting_targets_ = 0;
  background_.run([this] { ImputeBatches(running_); });
}

void GpuWindow::ImputeBatches(const Batches& batches) {
  std::vector<SampleOfBatch> samples;
  for (const auto& batch : batches) {
    for (size_t s = 0; s < batch->samples.size(); ++s) samples.push_back({batch.get(), s});
  }
  HostGroup *before = &groups_[0], *now = &groups_[1], *next = &groups_[2];
  std::span<const SampleOfBatch> left = samples;
  const auto prepare = [&](HostGroup& group) {
    Prepare(NextSamples(left), group);
    left = left.subspan(group.samples.size());
  };
  for (prepare(*now); !now->samples.empty(); std::swap(now, next)) {
    tbb::parallel_invoke([&] { Compute(*now); }, [&] { prepare(*next); }, [&] { SetRows(*before); });
    std::swap(before, now);
  }
  SetRows(*before);
}

// Returns the first samples, as many as make a group but at least one, unless none are left.
std::vector<SampleOfBatch> GpuWindow::NextSamples(std::span<const SampleOfBatch> samples) const {
  std::vector<SampleOfBatch> group;
  size_t targets = 0;
  for (const SampleOfBatch& sample : samples) {
    targets += sample.targets().num_targets();
    if (!group.empty() && targets > max_targets_) break;
    group.push_back(sample);
  }
  return group;
}

void GpuWindow::Prepare(std::vector<SampleOfBatch> samples, HostGroup& group) const {
  const ScopedTimer timer(stage_times.states, Threads());
  if (samples.empty()) {
    group.samples.clear();
  } else {
    group.Set(std::move(samples));
  }
}

void GpuWindow::Compute(HostGroup& group) {
  const ScopedTimer timer(stage_times.recursions, Threads());
  kernels_.Run(group);
}

void GpuWindow::SetRows(HostGroup& group) const {
  const ScopedTimer timer(stage_times.alleles, Threads());
  const size_t markers = window_.data().num_markers, typed = group.left_out.size();
  tbb::parallel_for(size_t{0}, group.samples.size(), [&](size_t s) {
    const SampleOfBatch& sample = group.samples[s];
    const uint32_t first = task_.study.samples->first_haplotype[sample.batch->first_sample + sample.index];
    for (size_t t = 0; t < sample.targets().ploidy(); ++t) {
      const size_t row = group.rows[s].first_row + t;
      task_.dosages.alt.SetRow(first + t, group.alt_rows.span().subspan(row * markers, markers));
      task_.dosages.left_out.SetRow(first + t, group.left_out_rows.span().subspan(row * typed, typed));
    }
    task_.on_sample(sample.targets());
  });
  group.samples.clear();
}

class GpuBackend : public Backend {
 public:
  GpuBackend(std::shared_ptr<Device> device, ImputerWeights weights, size_t max_host_bytes)
      : device_(std::move(device)), weights_(std::move(weights)), max_host_bytes_(max_host_bytes) {}
  ~GpuBackend() noexcept override {
    for (size_t k = 0; k < kNumKernels; ++k) {
      LogToFile(fmt::format("kernel {}: {:.2f} ms", kKernelNames[k], 1e3 * device_->KernelSeconds()[k]));
    }
  }
  GpuBackend(const GpuBackend&) = delete;
  GpuBackend& operator=(const GpuBackend&) = delete;

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    return std::make_unique<GpuWindow>(task, *device_, weights_, max_host_bytes_);
  }

  size_t HostBytes() const override {
    return max_host_bytes_ == std::numeric_limits<size_t>::max() ? 0 : max_host_bytes_;
  }

 private:
  const std::shared_ptr<Device> device_;
  const ImputerWeights weights_;
  const size_t max_host_bytes_;
};

}  // namespace

std::shared_ptr<Device> OpenGpu(const std::string& device) {
  const size_t colon = device.find(':');
  const int index =
      colon == std::string::npos ? 0 : ParseNumber<uint8_t>(std::string_view(device).substr(colon + 1)).value_or(0);
  try {
    return std::make_shared<Device>(OpenCudaDriver(), index, KernelCode());
  } catch (const InputError& error) {
    throw InputError(fmt::format("--device {}: {}; --device cpu needs no GPU", device, error.what()));
  }
}

std::shared_ptr<Device> FindGpu() {
  try {
    auto gpu = std::make_shared<Device>(OpenCudaDriver(), 0, KernelCode());
    LogInfo("imputing on {}", gpu->name());
    return gpu;
  } catch (const InputError& error) {
    LogInfo("imputing on the CPU: {}", error.what());
    return nullptr;
  }
}

std::unique_ptr<Backend> MakeGpuBackend(std::shared_ptr<Device> device, const ImputerWeights& weights,
                                        size_t max_host_bytes) {
  return std::make_unique<GpuBackend>(std::move(device), weights, max_host_bytes);
}

}  // namespace haplospin
