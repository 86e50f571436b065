// What the fuzz targets have in common: libFuzzer's bytes as files, and errors of the user as a good end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {

// The path of a file of this process alone, in memory where the system has such a folder.
std::string FuzzPath(const std::string& name);

// Replaces the file; its path.
std::string WriteFuzzFile(const std::string& name, std::string_view bytes);
std::string WriteBgzip(const std::string& name, std::string_view bytes);

// BCF of VCF text that is valid.
std::string WriteBcf(const std::string& name, const std::string& vcf);

// The parts of an input that holds several files, with lines "==" between them; `count` of them.
std::vector<std::string_view> SplitFuzzInput(std::string_view bytes, size_t count);

// Any other exception, and any signal, is a bug.
template <typename Function>
void AcceptInputErrors(const Function& function) {
  try {
    function();
  } catch (const InputError&) {
  }
}

// All pieces of a PanelReader or StudyReader.
template <typename Reader>
void ReadAllPieces(Reader& reader) {
  while (reader.NextContig()) {
    auto piece = reader.StartContig();
    while (reader.ReadUntil(10'010'000, piece)) reader.ReadUntil(INT64_MAX, piece);
  }
}

}  // namespace haplospin

// Defined by each target.
void FuzzOne(std::string_view bytes);
