// haplospin np simulate: trajectories of a Kolmogorov flow.
#include "cli/np/np.h"
#include "cli/options/command_options.h"
#include "core/log.h"
#include "core/threads.h"
#include "nn/torch_threads.h"
#include "processes/kolmogorov_flow.h"
#include "processes/kolmogorov_tasks.h"

namespace haplospin {

int NpSimulateCommand(const Arguments& arguments, const std::string&) {
  TrajectoryOptions trajectories;
  std::string out;
  int64_t seed = 1;
  CommandOptions options("np simulate",
                         "Solves the 2-D Kolmogorov flow (a fluid on a torus, driven by a sine wave) from random "
                         "initial states with a pseudo-spectral method, and writes its velocities.",
                         "haplospin np simulate --trajectories 32 --out flow.safetensors");
  options.Group("Flow");
  options.Add("trajectories", "N", &trajectories.trajectories, "number of independent trajectories", {1, 100000});
  options.Add("snapshots", "N", &trajectories.snapshots,
              "snapshots of each trajectory, after the same number that are discarded", {2, 100000});
  options.Add("interval", "TIME", &trajectories.interval, "time between snapshots", {1e-3, 100});
  options.Add("grid", "N", &trajectories.flow.grid, "points along each side of the solver's grid, even", {8, 4096});
  options.Add("coarse", "N", &trajectories.coarse, "points along each side of the output", {2, 4096});
  options.Add("viscosity", "NU", &trajectories.flow.viscosity, "kinematic viscosity, 1 / Reynolds number", {0, 100});
  options.Add("drag", "RATE", &trajectories.flow.drag, "linear drag", {0, 100});
  options.AddSeed(&seed);
  options.Group("Output");
  options.Require("out,o", "FILE", &out, "trajectories (safetensors)");
  if (!options.Parse(arguments)) return 0;
  SetTorchThreads(Threads());
  trajectories.seed = static_cast<uint64_t>(seed);
  WriteTrajectories(out, SimulateTrajectories(trajectories));
  LogInfo("{}: {} trajectories of {} snapshots", out, trajectories.trajectories, trajectories.snapshots);
  return 0;
}

}  // namespace haplospin
