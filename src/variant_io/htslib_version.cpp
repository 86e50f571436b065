#include "variant_io/htslib_version.h"

#include <htslib/hts.h>

namespace haplospin {

std::string HtslibVersion() { return hts_version(); }

}  // namespace haplospin
