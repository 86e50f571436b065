#include "genotypes/imputation/backends/gpu/gpu_backend.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <future>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/log.h"
#include "core/parse_number.h"
#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/backends/gpu/group_kernels.h"
#include "genotypes/imputation/backends/gpu/host_group.h"
#include "genotypes/imputation/backends/gpu/kernel_code.h"
#include "genotypes/imputation/backends/gpu/kernel_window.h"
#include "genotypes/imputation/backends/gpu/phase_kernels.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Share of the device's free memory that a group takes; the rest is for its people and for other programs.
constexpr double kShareOfMemory = 0.6;

// More targets together are not faster: these fill the multiprocessors of a large GPU several times.
constexpr size_t kMaxTargets = 4096;

// As many batches fill a large GPU when their phases are examined.
constexpr size_t kBatchesAtATime = 4;

// One group is computed while the next is prepared. Rows are set before the group's memory is used again.
constexpr size_t kHostGroups = 2;

// Waits for what was begun, if anything was.
void WaitFor(std::future<void>& begun) {
  if (begun.valid()) begun.get();
}

// Samples are imputed in groups, in the background.
class GpuWindow : public BackendWindow {
 public:
  GpuWindow(const WindowTask& task, Device& device, const ImputerWeights& weights, size_t max_host_bytes);

  std::vector<PhaseEvidence> ExaminePhases(std::span<const ExaminedPhase> phases) override {
    return phase_kernels_.Examine(phases);
  }
  void Impute(std::unique_ptr<const SampleBatch> batch) override;
  void Finish() override;

 private:
  void ImputeWaiting();
  void Compute(HostGroup& group);
  void SetRows(HostGroup& group) const;
  size_t MaxTargets(const Device& device, size_t max_host_bytes) const;

  const WindowTask task_;
  const KernelWindow window_;
  PhaseKernels phase_kernels_;
  GroupKernels kernels_;
  HostGroup groups_[kHostGroups];
  size_t next_group_ = 0;
  const size_t max_targets_;
  std::vector<SampleOfBatch> waiting_;
  size_t waiting_targets_ = 0;
  HostGroup* computed_ = nullptr;  // what is computed, or was last
  std::future<void> computing_, setting_rows_;
};

GpuWindow::GpuWindow(const WindowTask& task, Device& device, const ImputerWeights& weights, size_t max_host_bytes)
    : task_(task),
      window_(device, task.panel, task.estimates, task.markers, weights),
      phase_kernels_(device, window_),
      kernels_(device, window_),
      groups_{{device, task.panel, task.markers.alleles}, {device, task.panel, task.markers.alleles}},
      max_targets_(MaxTargets(device, max_host_bytes)) {}

size_t GpuWindow::MaxTargets(const Device& device, size_t max_host_bytes) const {
  const auto device_bytes = static_cast<size_t>(kShareOfMemory * static_cast<double>(device.FreeBytes()));
  const kernels::WindowData& window = window_.data();
  const size_t host_bytes =
      kHostGroups * (size_t{window.num_markers} * sizeof(uint16_t) + size_t{window.num_typed} * 8 +
                     kStatesOfTarget * 2 * sizeof(kernels::Segment));
  const size_t most = std::min(device_bytes / GroupKernels::BytesOfTarget(window), max_host_bytes / host_bytes);
  return std::clamp<size_t>(most, 1, kMaxTargets);
}

void GpuWindow::Impute(std::unique_ptr<const SampleBatch> batch) {
  const std::shared_ptr<const SampleBatch> shared = std::move(batch);
  for (size_t s = 0; s < shared->samples.size(); ++s) {
    const size_t targets = shared->samples[s].num_targets();
    if (!waiting_.empty() && waiting_targets_ + targets > max_targets_) ImputeWaiting();
    waiting_.push_back({shared, s});
    waiting_targets_ += targets;
  }
}

void GpuWindow::Finish() {
  ImputeWaiting();
  WaitFor(computing_);
  WaitFor(setting_rows_);
  if (computed_ != nullptr) SetRows(*computed_);
}

// Prepares a group while the one before is computed, whose rows are set while this one is computed. What waits for the
// device is no task of TBB, because a thread that waits for another task could then take it on.
void GpuWindow::ImputeWaiting() {
  if (waiting_.empty()) return;
  WaitFor(setting_rows_);
  HostGroup& group = groups_[next_group_];
  next_group_ = (next_group_ + 1) % kHostGroups;
  group.Set(std::exchange(waiting_, {}));
  waiting_targets_ = 0;
  WaitFor(computing_);
  if (computed_ != nullptr)
    setting_rows_ = std::async(std::launch::async, [this, group = computed_] { SetRows(*group); });
  computed_ = &group;
  computing_ = std::async(std::launch::async, [this, &group] { Compute(group); });
}

void GpuWindow::Compute(HostGroup& group) { kernels_.Run(group); }

void GpuWindow::SetRows(HostGroup& group) const {
  const size_t markers = window_.data().num_markers, typed = group.left_out.size();
  tbb::parallel_for(size_t{0}, group.samples.size(), [&](size_t s) {
    const SampleOfBatch& sample = group.samples[s];
    const uint32_t first = task_.study.samples().first_haplotype[sample.batch->first_sample + sample.index];
    for (size_t t = 0; t < sample.targets().ploidy(); ++t) {
      const size_t row = group.rows[s].first_row + t;
      task_.dosages.alt.SetRow(first + t, group.alt_rows.span().subspan(row * markers, markers));
      task_.dosages.typed->left_out.SetRow(first + t, group.left_out_rows.span().subspan(row * typed, typed));
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
    const std::vector<double> seconds = device_->KernelSeconds();
    for (size_t k = 0; k < kNumKernels; ++k) {
      LogToFile(fmt::format("kernel {}: {:.2f} ms", kKernelNames[k], 1e3 * seconds[k]));
    }
  }
  GpuBackend(const GpuBackend&) = delete;
  GpuBackend& operator=(const GpuBackend&) = delete;

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    return std::make_unique<GpuWindow>(task, *device_, weights_, max_host_bytes_);
  }

  size_t BatchesAtATime() override { return kBatchesAtATime; }

  size_t HostBytes() override { return max_host_bytes_ == std::numeric_limits<size_t>::max() ? 0 : max_host_bytes_; }

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

std::unique_ptr<Backend> MakeGpuBackend(std::shared_ptr<Device> device, const ImputerWeights& weights,
                                        size_t max_host_bytes) {
  return std::make_unique<GpuBackend>(std::move(device), weights, max_host_bytes);
}

}  // namespace haplospin
