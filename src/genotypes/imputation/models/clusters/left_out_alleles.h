// The alleles of a study by the clusters of its population.
#pragma once

#include <span>
#include <vector>

#include "genotypes/imputation/models/clusters/cluster_model.h"
#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Returns the mean over the models of the probabilities of ALT, [haplotypes, markers of `markers`], each given the
// alleles of its sample at all markers but its own. The models are of `markers`, which contain all typed ones. Both
// haplotypes of a sample without phase have the mean of the two, those of an inbred one are equal. Runs on all threads;
// the result does not depend on their number.
std::vector<float> LeaveOneOut(std::span<const ClusterModel> models, const WindowStudy& study, MarkerRange markers);

}  // namespace haplospin
