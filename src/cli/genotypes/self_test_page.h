// The page of `haplospin impute --self-test-html`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/provenance.h"
#include "genotypes/imputation/self_test/self_test.h"

namespace haplospin {

// Returns the page; `files` are titles and paths.
std::string SelfTestPage(const SelfTestFindings& findings,
                         const std::vector<std::pair<std::string, std::string>>& files, const Provenance& provenance);

}  // namespace haplospin
