#!/usr/bin/env python3
"""Where the parts of the program are left out, and its constants scaled.

The program has no switches for this: `apply` writes them into a copy of the sources. A part is left out if the
environment's HAPLOSPIN_LEFT_OUT is its name; with HAPLOSPIN_SCALED=phasing_plan.kStudyRounds:2, that constant of
phasing_plan.cpp has twice its value. Parts are places in the text of the sources, so that one build serves all, and a
place that has changed is an error.
"""
import pathlib
import re

HEADER = r'''#pragma once
#include <cstdlib>
#include <cstring>

namespace haplospin {

inline bool LeftOut(const char* part) {
  static const char* const chosen = std::getenv("HAPLOSPIN_LEFT_OUT");
  return chosen != nullptr && std::strcmp(chosen, part) == 0;
}

// The name of a file and a dot stand for all of its constants.
template <typename Number>
Number Scaled(const char* constant, Number value) {
  static const char* const chosen = std::getenv("HAPLOSPIN_SCALED");
  if (chosen == nullptr) return value;
  const size_t length = std::strcspn(chosen, ":");
  if (length == 0 || std::strncmp(chosen, constant, length) != 0) return value;
  if (constant[length] != '\0' && chosen[length - 1] != '.') return value;
  return static_cast<Number>(static_cast<double>(value) * std::atof(chosen + length + 1));
}

}  // namespace haplospin
'''

PHASING = "stages/phasing/"

# Part: its places, each a file, a text that the file has once, and what stands there instead.
PARTS = {
    "adaptation": [("plan/study_facts.cpp", "facts.may_be_adapted = is_called_with_panel",
                    "facts.may_be_adapted = !LeftOut(\"adaptation\") && is_called_with_panel")],
    "alternatives": [(PHASING + "study_phase.cpp", "FindAlternatives(CisPhase(phased), posterior.cis, AlternativeOptions())",
                      "FindAlternatives(CisPhase(phased), LeftOut(\"alternatives\") ? std::vector(1, CisPhase(phased)) : "
                      "posterior.cis, AlternativeOptions())")],
    "chains": [(PHASING + "phasing_plan.cpp", "has_chains ? kStudyChains", "has_chains && !LeftOut(\"chains\") ? kStudyChains")],
    "clusters": [("stages/clusters_stage.cpp", "return window.panel.panel().num_haplotypes() >= kMinHaplotypes",
                  "return !LeftOut(\"clusters\") && window.panel.panel().num_haplotypes() >= kMinHaplotypes")],
    "clusters-first": [(PHASING + "phasing_plan.cpp", "plan.first = FirstHaplotypes::kClusters",
                        "if (!LeftOut(\"clusters-first\")) plan.first = FirstHaplotypes::kClusters")],
    "draw-rates": [(PHASING + "phasing_rounds.cpp", "rates = plan_.draw_rates[round % plan_.draw_rates.size()]",
                    "rates = LeftOut(\"draw-rates\") ? plan_.rates : plan_.draw_rates[round % plan_.draw_rates.size()]")],
    "families": [(PHASING + "study_phase.cpp", "if (!phaser.options_.has_families) return;",
                  "if (!phaser.options_.has_families || LeftOut(\"families\")) return;")],
    "family-search": [("files/job_families.cpp", "return study.seeks_families",
                       "return !LeftOut(\"family-search\") && study.seeks_families")],
    "first-neighbors": [(PHASING + "first_haplotypes.cpp", "sweep < kSweeps", "sweep < (LeftOut(\"first-neighbors\") ? 0 : kSweeps)")],
    "frequent": [(PHASING + "phasing_plan.cpp", ".frequent = FrequentCopies(facts.study_haplotypes)",
                  ".frequent = LeftOut(\"frequent\") ? kSharedCopies : FrequentCopies(facts.study_haplotypes)")],
    "guess": [(PHASING + "phasing_plan.cpp", "plan.first = FirstHaplotypes::kGuess",
               "if (!LeftOut(\"guess\")) plan.first = FirstHaplotypes::kGuess")],
    "herd-phasing": [("stages/phase_stage.h", "if (window.is_scaled())",
                      "if (window.is_scaled() && !LeftOut(\"herd-phasing\"))")],
    "hidden": [(PHASING + "phasing_plan.cpp", ".hides_genotypes = true", ".hides_genotypes = !LeftOut(\"hidden\")")],
    "identical": [(PHASING + "phasing_plan.cpp", ".excludes_others = true", ".excludes_others = !LeftOut(\"identical\")")],
    "incomplete": [(PHASING + "phasing_plan.cpp", "plan.copies_incomplete = false",
                    "plan.copies_incomplete = LeftOut(\"incomplete\")")],
    "joint": [("stages/joint_stage.h", "return IsSmallHerd", "return !LeftOut(\"joint\") && IsSmallHerd")],
    "local-rates": [("models/copying/copying_model.cpp",
                     "const double mean = (expected[j] + kPriorHaplotypes * scale * by_distance[j]) / (used + kPriorHaplotypes);",
                     "const double mean = LeftOut(\"local-rates\") ? scale * by_distance[j] : (expected[j] + kPriorHaplotypes * "
                     "scale * by_distance[j]) / (used + kPriorHaplotypes);")],
    "network": [("models/network/cpu_network.cpp", "RunMlp(network_.allele, inputs_, size_, scratch_, correction_);",
                 "if (LeftOut(\"network\")) std::fill(std::begin(correction_), std::end(correction_), 0.0f);\n"
                 "  else RunMlp(network_.allele, inputs_, size_, scratch_, correction_);"),
                ("models/network/cpu_network.cpp", "RunMlp(network_.copy, features.values, num_candidates, scratch_, attention_.logit);",
                 "if (LeftOut(\"network\")) std::fill(std::begin(attention_.logit), std::end(attention_.logit), 0.0f);\n"
                 "  else RunMlp(network_.copy, features.values, num_candidates, scratch_, attention_.logit);")],
    "panel-families": [("stages/families_stage.cpp", "PanelFamilies(window.panel, window.study).HasAny()",
                        "(!LeftOut(\"panel-families\") && PanelFamilies(window.panel, window.study).HasAny())")],
    "phase-errors": [("stages/impute_stage.cpp", "if (estimated.empty()) return;",
                      "if (estimated.empty() || LeftOut(\"phase-errors\")) return;")],
    "phasing-populations": [(PHASING + "phasing_plan.cpp", ".population_sweeps = kPopulationSweeps",
                             ".population_sweeps = LeftOut(\"phasing-populations\") ? std::optional<int>() : kPopulationSweeps")],
    "populations": [("models/copying/match_features.cpp", "inputs.population_log_share[k] = population_log_shares[person]",
                     "inputs.population_log_share[k] = LeftOut(\"populations\") ? 0 : population_log_shares[person]")],
    "rates": [("models/copying/copying_model.cpp", "if (sample.haplotypes().empty()) {\n    copying.switch_probability",
               "if (sample.haplotypes().empty() || LeftOut(\"rates\")) {\n    copying.switch_probability")],
    "read-pieces": [(PHASING + "phasing_plan.cpp", "plan.assigns_reads = true", "plan.assigns_reads = !LeftOut(\"read-pieces\")")],
    "regression": [("backends/cpu_backend.cpp",
                    "const MarkerFeatures& marker = markers_.features[m - alleles.begin()];\n    computation_.AddMarker(marker, "
                    "regression.Predict(m, centered_, marker.minor_frequency)",
                    "MarkerFeatures marker = markers_.features[m - alleles.begin()];\n    if (LeftOut(\"regression\")) "
                    "marker.regression_r2 = 0;\n    computation_.AddMarker(marker, LeftOut(\"regression\") ? marker.minor_frequency : "
                    "regression.Predict(m, centered_, marker.minor_frequency)")],
    "sample-shares": [("models/copying/match_features.cpp", "inputs.log_share[k] = log_shares[person]",
                       "inputs.log_share[k] = LeftOut(\"sample-shares\") ? 0 : log_shares[person]")],
    "scaffold": [(PHASING + "group_phaser.cpp", "if (plan.scaffold) {", "if (plan.scaffold && !LeftOut(\"scaffold\")) {")],
    "scaled-window": [("stages/estimate_stage.cpp", "return window.estimates && !window.estimates->copying.last_round",
                       "return !LeftOut(\"scaled-window\") && window.estimates && !window.estimates->copying.last_round")],
    "shared": [(PHASING + "phasing_plan.cpp", ".shared = kSharedCopies", ".shared = LeftOut(\"shared\") ? 0 : kSharedCopies")],
    "sparse-samples": [(PHASING + "phasing_rounds.cpp", "excludes_incomplete_ = excludes_identical_",
                        "excludes_incomplete_ = !LeftOut(\"sparse-samples\") && excludes_identical_")],
    "study-fit": [("models/copying/study_fit.cpp", "if (!IsMany(fit.mismatches, fit.panel_mismatches, kErroneousMismatches",
                   "if (LeftOut(\"study-fit\") || !IsMany(fit.mismatches, fit.panel_mismatches, kErroneousMismatches")],
}

# The sources whose constants are scaled: their numbers with a name, each on a line of its own or several on one.
CONSTANTS = ["stages/phasing/*.cpp", "stages/*.cpp", "models/copying/*.cpp", "models/phasing/*.cpp",
             "models/phase_errors/*.cpp", "models/clusters/*.cpp", "models/pedigree/*.cpp"]

# Constants that are not scaled: amounts of memory, values that stand for something else, and sizes of arrays.
FIXED = re.compile(r"Bytes|Memory|kNo(ne|body|[A-Z])|kNever|kGivenSet|kWord|Sentinel|OfByte|kMaxKmer|kBlocksAhead")


def find(path, old):
    """Returns the text of a source. Fails if a place of PARTS is not there, or more than once."""
    text = path.read_text()
    if text.count(old) != 1:
        raise SystemExit(f"{path}: benchmarks/ablation/switches.py looks for this once, and finds it {text.count(old)} "
                         f"times; change it there too: {old}")
    return text


def put(root, places):
    for name, old, new in places:
        path = root / name
        path.write_text(find(path, old).replace(old, new))


def include(path):
    text = path.read_text()
    if "core/left_out.h" not in text:
        path.write_text(re.sub(r"(?m)^#include", '#include "core/left_out.h"\n#include', text, count=1))


def constants_of(root):
    """Returns the constants that can be scaled: name, file, type and the text of the value."""
    found = []
    for pattern in CONSTANTS:
        for path in sorted(root.glob(pattern)):
            for statement in re.finditer(r"(?m)^constexpr (int|size_t|float|double|uint32_t) ([^;{}]*);", path.read_text()):
                if "[" in statement[2]:
                    continue
                for name, value in re.findall(r"(k\w+) = ((?:[^,()]|\([^()]*\))+)", statement[2]):
                    if not FIXED.search(name):
                        found.append((name, path, statement[1], value))
    return found


def scale_constants(root):
    """Gives each constant its switch. Returns their names."""
    names = []
    for name, path, kind, value in constants_of(root):
        key = f"{path.stem}.{name}"
        text = path.read_text()
        statement = re.search(rf"(?ms)^const(?:expr)? {kind} (?:[^;]*[ ,])?{name} = [^;]*;", text)[0]
        changed = statement.replace(f"{name} = {value}", f'{name} = Scaled<{kind}>("{key}", {value})', 1)
        path.write_text(text.replace(statement, re.sub("^constexpr", "const", changed), 1))
        include(path)
        names.append(key)
    return names


def apply(tree):
    """Writes all switches into a work tree. Returns the names of the constants that can be scaled."""
    (tree / "src/core/left_out.h").write_text(HEADER)
    root = tree / "src/genotypes/imputation"
    for places in PARTS.values():
        put(root, places)
        for name, _, _ in places:
            include(root / name)
    return scale_constants(root)


def choices(name, is_constant):
    """Returns what to print and the environment, for each change of a part or constant."""
    if not is_constant:
        return [(name, {"HAPLOSPIN_LEFT_OUT": name})]
    return [(f"{name} x {factor}", {"HAPLOSPIN_SCALED": f"{name}:{factor}"}) for factor in (0.5, 2)]


if __name__ == "__main__":  # fails if a place has changed
    sources = pathlib.Path(__file__).resolve().parents[2] / "src/genotypes/imputation"
    for places in PARTS.values():
        for name, old, _ in places:
            find(sources / name, old)
