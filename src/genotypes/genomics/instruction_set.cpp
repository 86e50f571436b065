#include "genotypes/genomics/instruction_set.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/letter_case.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Highway has a bit for each instruction set, and better ones have lower bits.
int64_t Best(int64_t targets) { return targets & -targets; }

}  // namespace

std::string InstructionSet() { return hwy::TargetName(Best(hwy::SupportedTargets() & HWY_TARGETS)); }

void LimitInstructionSetByEnvironment() {
  const char* const variable = std::getenv("HAPLOSPIN_TARGET");
  if (variable == nullptr) return;
  const std::string name = variable;
  std::string names;
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (int64_t left = usable; left != 0; left &= left - 1) {
    const int64_t target = Best(left);
    const std::string target_name = ToLower(hwy::TargetName(target));
    if (target_name == ToLower(name)) return hwy::DisableTargets(target - 1);
    names += (names.empty() ? "" : ", ") + target_name;
  }
  throw InputError(fmt::format(
      "HAPLOSPIN_TARGET={}: this processor and program have no such instruction set; choose one of {}", name, names));
}

}  // namespace haplospin
