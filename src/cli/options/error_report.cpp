#include "cli/options/error_report.h"

#include <exception>
#include <new>

#include "core/log.h"
#include "core/run_report.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

int RunOrTellError(const std::function<int()>& run) {
  try {
    return run();
  } catch (const InputError& error) {
    LogError("{}", error.what());
    return kUserError;
  } catch (const std::bad_alloc&) {
    LogError("out of memory; use fewer threads or shorter windows, or a machine with more memory");
    return kInternalError;
  } catch (const std::exception& error) {
    LogError("internal error: {}; please report this", error.what());
    return kInternalError;
  }
}

}  // namespace

int RunAndReport(const std::function<int()>& run) {
  const int code = RunOrTellError(run);
  if (!RunHasBegun()) return code;
  if (code == kInternalError || code == kUserError) {
    LogToFile(RunReportText());
  } else {
    LogInfo("{}", RunReportText());
  }
  return code;
}

}  // namespace haplospin
