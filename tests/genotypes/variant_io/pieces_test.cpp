#include "genotypes/variant_io/reading/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::Pair;

class PiecesTest : public testing::Test {
 protected:
  void Write(const std::vector<int64_t>& positions) {
    VcfText vcf;
    for (const int64_t position : positions) vcf.Add("20", position, "A", "C", "0|1 1|0 0|0");
    vcf.Add("X", 5, "A", "C", "0|1 1|0 0|0");
    WriteVariants(path_, vcf, FileForm::kVcf);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "in.vcf";
};

TEST_F(PiecesTest, EndAtMultiplesAndSkipGaps) {
  Write({1, 100, 101, 150, 90'001});
  const auto reader = OpenPanel(path_);
  MutablePanel panel = reader->StartContig();
  std::vector<std::pair<int64_t, bool>> ends;
  std::vector<size_t> sizes;
  ForEachPiece(*reader, panel, 100, [&](int64_t end, bool is_last) {
    ends.emplace_back(end, is_last);
    sizes.push_back(panel.num_markers());
    panel.DropBefore(1);
  });
  EXPECT_THAT(ends, ElementsAre(Pair(100, false), Pair(200, false), Pair(90'100, true)));
  EXPECT_THAT(sizes, ElementsAre(2, 3, 3)) << "what is not dropped stays";
  EXPECT_EQ(reader->NextContig(), "X");
}

TEST_F(PiecesTest, ReadToTheLastPossiblePosition) {
  Write({0, kMaxPosition - 1, kMaxPosition});
  const auto reader = OpenPanel(path_);
  MutablePanel panel = reader->StartContig();
  std::vector<int64_t> positions;
  ForEachMarker(*reader, panel, [&](size_t m) { positions.push_back(panel.marker(m).position); });
  EXPECT_THAT(positions, ElementsAre(0, kMaxPosition - 1, kMaxPosition));
  EXPECT_EQ(panel.num_markers(), 0u);
}

TEST_F(PiecesTest, VisitsEveryMarkerOfAStudy) {
  Write({7, 300'000, 300'000, 20'000'000});
  StudyReader reader(path_);
  StudyGenotypes study = reader.StartContig();
  std::vector<int64_t> positions;
  ForEachMarker(reader, study, [&](size_t m) { positions.push_back(study.markers[m].marker.position); });
  EXPECT_THAT(positions, ElementsAre(7, 300'000, 300'000, 20'000'000));
  EXPECT_EQ(reader.NextContig(), "X");
}

}  // namespace
}  // namespace haplospin
