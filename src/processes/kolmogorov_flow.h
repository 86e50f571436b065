// Kolmogorov flow: an incompressible fluid on a 2-D torus, driven by a sine wave (Ashman et al., 2024, eq. 40).
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

struct FlowOptions {
  int64_t grid = 64;        // points along each side of [0, 2 pi)^2
  double viscosity = 1e-3;  // nu, with a density of 1
  double forcing = 1.0;     // f = (forcing sin(wave y), 0) - drag u
  int64_t wave = 4;
  double drag = 0.1;
};

// Pseudo-spectral in the vorticity w = dv/dx - du/dy, dealiased by the 2/3 rule; classical Runge-Kutta in time with
// steps bounded by the flow's speed. All in double.
class KolmogorovFlow {
 public:
  // vorticity [b, grid, grid], rows along y: b independent flows. Their means must be 0.
  KolmogorovFlow(const FlowOptions& options, const torch::Tensor& vorticity);

  void Advance(double time);

  torch::Tensor Vorticity() const;  // [b, grid, grid]
  torch::Tensor Velocity() const;   // [b, 2, grid, grid]: u along x, v along y

 private:
  torch::Tensor Velocities(const torch::Tensor& spectrum) const;
  torch::Tensor Rate(const torch::Tensor& spectrum) const;

  FlowOptions options_;
  torch::Tensor kx_, ky_, squared_;  // wave numbers; squared_ is 1 where they are 0
  torch::Tensor kept_;               // the 2/3 rule
  torch::Tensor forcing_;            // of the vorticity
  torch::Tensor spectrum_;           // of the vorticity, [b, grid, grid / 2 + 1]
};

struct TrajectoryOptions {
  FlowOptions flow;
  int64_t trajectories = 16;
  int64_t snapshots = 64;  // kept, after the same number that are discarded
  double interval = 0.2;   // between snapshots, in units of time
  int64_t coarse = 32;     // points along each side of the result: means over squares
  uint64_t seed = 1;
};

// Velocities [trajectories, snapshots, 2, coarse, coarse], float, from random initial flows. Throws InputError if
// `coarse` does not divide the grid, or if the flow is no longer finite.
torch::Tensor SimulateTrajectories(const TrajectoryOptions& options);

}  // namespace haplospin
