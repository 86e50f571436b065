// The haplotypes of a study's families, from what was found of their people one by one.
#pragma once

#include <cstdint>
#include <span>

#include "genotypes/imputation/phasing/sample/sample_targets.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Changes the haplotypes of the diploid samples that belong to the families of the study, as FamilySampler finds them.
// Their phase is certain then, and so are missing alleles that families decide; `targets` are those of all samples.
// Given phases of samples without known parents keep their first orientation. Missing alleles that stay uncertain have
// probabilities if they had any before.
void RefineFamilies(const PanelWindow& window, const WindowStudy& study, uint64_t seed,
                    std::span<SampleTargets> targets);

}  // namespace haplospin
