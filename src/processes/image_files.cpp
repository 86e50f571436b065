#include "processes/image_files.h"

#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint32_t kIdxBytesOf3Dimensions = 0x00000803;
constexpr int64_t kMaxSide = 4096;
constexpr size_t kIdxHeader = 16;
constexpr int64_t kReadAtOnce = int64_t{1} << 24;

uint32_t BigEndian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// A plain or gzipped file.
class GzipFile {
 public:
  explicit GzipFile(const std::string& path) : file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw InputError(path + ": cannot open; expected an idx file or a folder of PNG files");
  }
  ~GzipFile() { gzclose(file_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  // Up to `count` bytes; fewer if the file ends or is damaged.
  std::string Read(int64_t count) {
    std::string bytes;
    while (static_cast<int64_t>(bytes.size()) < count) {
      const size_t before = bytes.size();
      const int64_t wanted = std::min(count - static_cast<int64_t>(before), kReadAtOnce);
      bytes.resize(before + static_cast<size_t>(wanted));
      const int got = gzread(file_, bytes.data() + before, static_cast<unsigned>(wanted));
      bytes.resize(before + static_cast<size_t>(std::max(got, 0)));
      if (got <= 0) break;
    }
    return bytes;
  }

 private:
  gzFile file_;
};

torch::Tensor ReadIdx(const std::string& path) {
  GzipFile file(path);
  const std::string header = file.Read(kIdxHeader);
  if (header.size() < kIdxHeader || BigEndian(header, 0) != kIdxBytesOf3Dimensions) {
    throw InputError(path + ": not an idx file of images (unsigned bytes, three dimensions)");
  }
  const int64_t count = BigEndian(header, 4), height = BigEndian(header, 8), width = BigEndian(header, 12);
  if (count < 1 || height < 1 || width < 1 || height > kMaxSide || width > kMaxSide) {
    throw InputError(
        fmt::format("{}: its header says {} images of {} x {}; the file is damaged", path, count, height, width));
  }
  const int64_t size = count * height * width;
  const std::string pixels = file.Read(size + 1);
  if (static_cast<int64_t>(pixels.size()) != size) {
    throw InputError(
        fmt::format("{}: its header says {} images of {} x {}, but it has {} than their {} bytes; the file "
                    "is damaged",
                    path, count, height, width, static_cast<int64_t>(pixels.size()) < size ? "fewer" : "more", size));
  }
  torch::Tensor images = torch::empty({count, height, width, 1}, torch::kUInt8);
  std::ranges::copy(pixels, reinterpret_cast<char*>(images.data_ptr<uint8_t>()));
  return images;
}

struct PngImage {
  png_image image{};
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

// `channels` is 0 for the first image of a folder, which then determines the number of channels.
torch::Tensor ReadPng(const std::string& path, int64_t channels) {
  PngImage png;
  if (png_image_begin_read_from_file(&png.image, path.c_str()) == 0) {
    throw InputError(fmt::format("{}: cannot be read as PNG: {}", path, png.image.message));
  }
  if (png.image.width > kMaxSide || png.image.height > kMaxSide) {
    throw InputError(fmt::format("{}: larger than {} pixels; make it smaller", path, kMaxSide));
  }
  if (channels == 0) channels = (png.image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  png.image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  torch::Tensor pixels = torch::empty({png.image.height, png.image.width, channels}, torch::kUInt8);
  if (png_image_finish_read(&png.image, nullptr, pixels.data_ptr<uint8_t>(), 0, nullptr) == 0) {
    throw InputError(fmt::format("{}: cannot be read as PNG: {}", path, png.image.message));
  }
  return pixels;
}

torch::Tensor ReadFolder(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".png") names.push_back(entry.path().string());
  }
  if (names.empty()) throw InputError(path + ": no *.png in this folder");
  std::ranges::sort(names);
  std::vector<torch::Tensor> images;
  for (const std::string& name : names) {
    images.push_back(ReadPng(name, images.empty() ? 0 : images.front().size(2)));
    if (images.back().sizes() != images.front().sizes()) {
      throw InputError(fmt::format("{}: {} x {} pixels, but {} has {} x {}; all images must have one size", name,
                                   images.back().size(1), images.back().size(0), names.front(), images.front().size(1),
                                   images.front().size(0)));
    }
  }
  return torch::stack(images);
}

}  // namespace

torch::Tensor ReadImages(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) ? ReadFolder(path) : ReadIdx(path);
}

}  // namespace haplospin
