// A panel and a study, with a line "==" between them: which variants are the same, and what is made of the study.
#include "fuzz/fuzz_input.h"
#include "genotypes/assessment/checking/checked_sites.h"
#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/assessment/checking/study_fix.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const auto parts = SplitFuzzInput(bytes, 2);
  StudyCheckOptions options{.panel = WriteFuzzFile("panel.vcf", parts[0]),
                            .study = WriteFuzzFile("study.vcf", parts[1])};
  for (const std::vector<std::string>& filters : {std::vector<std::string>{}, {"PASS", "."}}) {
    AcceptInputErrors([&] {
      options.reading.filters = filters;
      const StudyCheck check = CheckStudy(options);
      ConcludeCheck(check, 0.1);
      CheckedSitesTsv(check);
      const std::string fixed = FuzzPath("fixed.vcf");
      FixStudy(check, {.path = fixed, .header_lines = {}});
      StudyReader study(fixed);
      ReadAllPieces(study);
    });
  }
}
