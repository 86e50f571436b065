#include "fuzz/fuzz_input.h"

#include <htslib/bgzf.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {
namespace {

void Require(bool is_good, const std::string& path) {
  if (!is_good) throw std::runtime_error("cannot write " + path);
}

}  // namespace

std::string FuzzPath(const std::string& name) {
  static const TemporaryFolder folder;
  return folder / name;
}

std::string WriteFuzzFile(const std::string& name, std::string_view bytes) {
  const std::string path = FuzzPath(name);
  std::filesystem::remove(path);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  Require(file.good(), path);
  return path;
}

std::string WriteBgzip(const std::string& name, std::string_view bytes) {
  const std::string path = FuzzPath(name);
  std::filesystem::remove(path);
  const BgzfHandle file(bgzf_open(path.c_str(), "w1"));
  Require(file && bgzf_write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), path);
  return path;
}

std::string WriteBcf(const std::string& name, const std::string& vcf) {
  const std::string text = WriteFuzzFile(name + ".vcf", vcf), path = FuzzPath(name);
  const HtsHandle in(hts_open(text.c_str(), "r")), out(hts_open(path.c_str(), "wb"));
  const BcfHeaderHandle header(bcf_hdr_read(in.get()));
  const BcfRecordHandle record(bcf_init());
  Require(header && bcf_hdr_write(out.get(), header.get()) == 0, path);
  while (bcf_read(in.get(), header.get(), record.get()) >= 0) {
    Require(bcf_write(out.get(), header.get(), record.get()) == 0, path);
  }
  return path;
}

std::vector<std::string_view> SplitFuzzInput(std::string_view bytes, size_t count) {
  constexpr std::string_view kLine = "==\n";
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const size_t end = std::min(bytes.find(kLine), bytes.size());
    parts.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + kLine.size(), bytes.size()));
  }
  parts.push_back(bytes);
  return parts;
}

}  // namespace haplospin

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  haplospin::SetThreads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzOne({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
