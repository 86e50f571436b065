// Aligned reads of a person: text of SAM, or the bytes of BAM before they are compressed. CRAM is left out: of a
// damaged one, HTSlib 1.16 allocates as much memory as its containers say, loses memory, and ends the program that
// makes an index.
#include <htslib/sam.h>
#include <sanitizer/lsan_interface.h>

#include <memory>

#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/alignment_source.h"
#include "genotypes/variant_io/reading/study_reader.h"

using namespace haplospin;

namespace {

// Sites of all kinds, which the reads of the seeds cover.
std::string SitesPath() {
  std::string vcf = "##fileformat=VCFv4.2\n##contig=<ID=chr20>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  const char* const alleles[] = {"A\tC", "G\tT,GA", "TA\tT", "C\tCAA", "AC\tGT", "C\t<DEL>", "ACG\tA"};
  for (int i = 0; i < 200; ++i) {
    vcf += "chr20\t" + std::to_string(10'000'100 + 3 * i) + "\t.\t" + alleles[i % 7] + "\t.\t.\t.\n";
  }
  return WriteFuzzFile("sites.vcf", vcf);
}

}  // namespace

void FuzzOne(std::string_view bytes) {
  static const std::string sites = SitesPath();
  const bool is_bam = bytes.starts_with(std::string_view("BAM\1", 4));
  const std::string path = is_bam ? WriteBgzip("reads.bam", bytes) : WriteFuzzFile("reads.sam", bytes);
  hts_set_log_level(HTS_LOG_OFF);
  AcceptInputErrors([&] {
    AlignmentFile(path, "");  // which refuses headers that HTSlib would take much memory for
    __lsan_disable();         // HTSlib loses the header of a file of which a read is damaged, and no run makes an index
    if (is_bam) static_cast<void>(sam_index_build(path.c_str(), 0));
    __lsan_enable();
    const ReadFilter filter{.max_depth = 20, .ignored_ends = 1};
    const std::vector<AlignmentTarget> targets{{path, "A"}};
    auto study = std::make_shared<const AlignmentStudy>(OpenAlignmentStudy(targets, "", filter));
    StudyReader reader("reads", {.unphased = Unphased::kReadAll,
                                 .likelihoods = LikelihoodField::kPl,
                                 .open = AlignmentRecords("reads", study, sites)});
    ReadAllPieces(reader);
  });
}
