// haplospin np train|predict|evaluate, and its short forms te-tnp and ipnp: neural processes.
#include "cli/np/np.h"

#include "cli/options/command.h"
#include "cli/torch_commands.h"

namespace haplospin {
namespace {

int Dispatch(const Arguments& arguments, const std::string& model) {
  const auto with_model = [&](auto* run) { return [&, run](const Arguments& a) { return run(a, model); }; };
  return RunSubcommand(
      arguments, "neural processes: regression with uncertainty from a context of points",
      {
          {"train", "trains a model on simulated tasks or your own table", with_model(NpTrainCommand)},
          {"predict", "predicts a function with its uncertainty from given points", with_model(NpPredictCommand)},
          {"evaluate", "log-likelihood, calibration and error on test tasks", with_model(NpEvaluateCommand)},
      });
}

}  // namespace

Arguments NpCommandLine(const Arguments& arguments, const std::string& model) {
  Arguments line{model.empty() ? "np" : model};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

int NpCommand(const Arguments& arguments) { return Dispatch(arguments, ""); }
int TeTnpCommand(const Arguments& arguments) { return Dispatch(arguments, "te-tnp"); }
int IpnpCommand(const Arguments& arguments) { return Dispatch(arguments, "ipnp"); }

}  // namespace haplospin
