#include "processes/image_tasks.h"

#include <gtest/gtest.h>
#include <png.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "processes/image_files.h"

namespace haplospin {
namespace {

void WriteIdx(const std::string& path, const torch::Tensor& images, int64_t claimed_count) {
  std::ofstream file(path, std::ios::binary);
  const auto number = [&](int64_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(value >> shift & 255));
  };
  number(0x803);
  number(claimed_count);
  number(images.size(1));
  number(images.size(2));
  file.write(reinterpret_cast<const char*>(images.data_ptr<uint8_t>()), images.numel());
}

void WritePng(const std::string& path, const torch::Tensor& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.size(1));
  png.height = static_cast<png_uint_32>(image.size(0));
  png.format = image.size(2) == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const torch::Tensor bytes = image.contiguous();
  ASSERT_NE(png_image_write_to_file(&png, path.c_str(), 0, bytes.data_ptr<uint8_t>(), 0, nullptr), 0);
}

torch::Tensor RandomImages(torch::IntArrayRef sizes) { return torch::randint(0, 256, sizes).to(torch::kUInt8); }

TEST(ReadImages, ReadsIdx) {
  const TemporaryFolder folder;
  const torch::Tensor images = RandomImages({3, 4, 5, 1});
  WriteIdx(folder / "a", images, 3);
  EXPECT_TRUE(ReadImages(folder / "a").equal(images));
}

TEST(ReadImages, RefusesDamagedIdx) {
  const TemporaryFolder folder;
  WriteIdx(folder / "more", RandomImages({3, 4, 5, 1}), 4);
  WriteIdx(folder / "fewer", RandomImages({3, 4, 5, 1}), 2);
  WriteIdx(folder / "huge", RandomImages({3, 4, 5, 1}), 0x7fffffff);
  std::ofstream(folder / "other") << "this is no idx file at all";
  std::ofstream(folder / "empty").flush();
  for (const char* name : {"more", "fewer", "huge", "other", "empty", "missing"}) {
    EXPECT_THROW(ReadImages(folder / name), InputError) << name;
  }
}

TEST(ReadImages, ReadsFoldersOfPngInTheOrderOfTheirNames) {
  const TemporaryFolder folder;
  const torch::Tensor images = RandomImages({2, 6, 7, 3});
  WritePng(folder / "b.png", images[1]);
  WritePng(folder / "a.png", images[0]);
  std::ofstream(folder / "notes.txt") << "not an image";
  EXPECT_TRUE(ReadImages(folder.path().string()).equal(images));
  WritePng(folder / "c.png", RandomImages({5, 7, 3}));
  EXPECT_THROW(ReadImages(folder.path().string()), InputError);  // of another size
}

TEST(ReadImages, RefusesWhatIsNoPng) {
  const TemporaryFolder folder;
  EXPECT_THROW(ReadImages(folder.path().string()), InputError);  // none there
  std::ofstream(folder / "a.png") << "no image";
  EXPECT_THROW(ReadImages(folder.path().string()), InputError);
}

TEST(ImageTasks, EveryPixelIsContextOrTarget) {
  torch::manual_seed(1);
  const torch::Tensor images = RandomImages({4, 6, 6, 1});
  const ImageTasks source(images, {});
  RandomStream random(2);
  const ProcessTasks tasks = source.Draw(5, random).at(0);
  EXPECT_EQ(tasks.context_x.size(1) + tasks.target_x.size(1), 144);
  const torch::Tensor x = torch::cat({tasks.context_x, tasks.target_x}, 1);
  const torch::Tensor cells = (x / source.spacing() + 5.5).round();
  EXPECT_TRUE(torch::allclose(x / source.spacing() + 5.5, cells, 1e-4, 1e-4));
  for (int64_t b = 0; b < 5; ++b) {
    const torch::Tensor index = (cells[b].select(1, 0) * 12 + cells[b].select(1, 1)).to(torch::kLong);
    EXPECT_TRUE(std::get<0>(index.sort()).equal(torch::arange(144)));
  }
  // A whole image stands somewhere on the empty canvas.
  const torch::Tensor sum = torch::cat({tasks.context_y, tasks.target_y}, 1).sum({1, 2});
  const torch::Tensor sums = images.to(torch::kFloat32).div(255).sum({1, 2, 3});
  for (int64_t b = 0; b < 5; ++b) EXPECT_LT((sums - sum[b]).abs().min().item<double>(), 1e-3);
}

TEST(ImageTasks, DownsamplingTakesMeans) {
  const torch::Tensor images = RandomImages({1, 4, 4, 3});
  const ImageTasks source(images, {.downsample = 4, .translate = false, .context = {0, 0}});
  RandomStream random(3);
  const ProcessTasks tasks = source.Draw(1, random).at(0);
  EXPECT_EQ(tasks.context_x.size(1), 0);
  EXPECT_TRUE(torch::allclose(tasks.target_y.flatten(), images.to(torch::kFloat32).mean({0, 1, 2}) / 255, 1e-4, 1e-4));
  EXPECT_THROW(ImageTasks(images, {.downsample = 5}), InputError);
}

TEST(ImageTasks, OfMnist) {
  const char* data = std::getenv("HAPLOSPIN_DATA");
  if (data == nullptr) GTEST_SKIP() << "HAPLOSPIN_DATA names no folder";
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(data) / "tabular/mnist")) {
    const std::string name = entry.path().filename().string();
    if (name.find("images") == std::string::npos) continue;
    EXPECT_EQ(ReadImages(entry.path().string()).sizes().vec(), (std::vector<int64_t>{10000, 28, 28, 1}));
    return;
  }
  GTEST_SKIP() << "no idx file of images in " << data;
}

}  // namespace
}  // namespace haplospin
