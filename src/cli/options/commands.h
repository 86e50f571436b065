// The commands, one file each.
#pragma once

#include "cli/options/command.h"

namespace haplospin {

int CheckCommand(const Arguments& arguments);
int ConcatCommand(const Arguments& arguments);
int MergeCommand(const Arguments& arguments);
int EvaluateCommand(const Arguments& arguments);
int ImputeCommand(const Arguments& arguments);
int IpnpCommand(const Arguments& arguments);
int MaskCommand(const Arguments& arguments);
int NpCommand(const Arguments& arguments);
int PanelAdaptCommand(const Arguments& arguments);
int PanelBuildCommand(const Arguments& arguments);
int PanelCommand(const Arguments& arguments);
int PhaseCommand(const Arguments& arguments);
int SelfcheckCommand(const Arguments& arguments);
int TabularCommand(const Arguments& arguments);
int TeTnpCommand(const Arguments& arguments);
int TrainCommand(const Arguments& arguments);

}  // namespace haplospin
