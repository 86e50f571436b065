#include "core/provenance.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The present day, or that of SOURCE_DATE_EPOCH (reproducible-builds.org).
std::string Today() {
  using namespace std::chrono;
  constexpr int64_t kEndOfYear9999 = 253402300799;
  auto time = floor<seconds>(system_clock::now());
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const auto given = ParseNumber<int64_t>(epoch);
    if (!given || *given < 0 || *given > kEndOfYear9999) {
      throw InputError(fmt::format(
          "SOURCE_DATE_EPOCH is '{}', but must be a number of seconds since 1970; correct or unset it", epoch));
    }
    time = sys_seconds(seconds(*given));
  }
  const year_month_day day{floor<days>(time)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

bool IsPlain(unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_./:=,+@%^~-", c) != nullptr; }

std::string Quoted(const std::string& argument) {
  if (!argument.empty() && std::ranges::all_of(argument, IsPlain)) return argument;
  std::string text = "'";
  bool has_escapes = false;
  for (const char c : argument) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\'') {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      has_escapes = true;
    } else {
      text += c;
    }
  }
  return (has_escapes ? "$" : "") + text + "'";
}

}  // namespace

std::string CommandLineText(const std::vector<std::string>& arguments) {
  std::string text = "haplospin";
  for (const std::string& argument : arguments) text += ' ' + Quoted(argument);
  return text;
}

Provenance MakeProvenance(const std::vector<std::string>& arguments, const std::string& data, uint64_t seed) {
  return {.haplospin = kVersion, .command = CommandLineText(arguments), .data = data, .date = Today(), .seed = seed};
}

namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    HS_ASSERT(context_ != nullptr);
    HS_CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void Add(std::string_view bytes) { HS_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

  std::string Text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    HS_CHECK(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File OpenToRead(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return file;
}

// Adds at most `limit` bytes from where the file is.
void AddBytes(const std::string& path, std::FILE* file, uint64_t limit, Sha256& digest) {
  std::vector<char> buffer(1 << 18);
  while (const size_t count = std::fread(buffer.data(), 1, std::min<uint64_t>(buffer.size(), limit), file)) {
    digest.Add({buffer.data(), count});
    limit -= count;
  }
  if (std::ferror(file) != 0) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

}  // namespace

std::string Sha256OfText(std::string_view text) {
  Sha256 digest;
  digest.Add(text);
  return digest.Text();
}

std::string FingerprintOfFile(const std::string& path) {
  constexpr long kEnd = 1 << 20;
  const File file = OpenToRead(path);
  Sha256 digest;
  AddBytes(path, file.get(), kEnd, digest);
  const bool can_seek = std::fseek(file.get(), 0, SEEK_END) == 0;
  const long size = std::ftell(file.get());
  if (!can_seek || size < 0) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::fseek(file.get(), std::max(0L, size - kEnd), SEEK_SET);
  AddBytes(path, file.get(), kEnd, digest);
  return fmt::format("{}:{}", size, digest.Text());
}

std::string Sha256OfFile(const std::string& path) {
  const File file = OpenToRead(path);
  Sha256 digest;
  AddBytes(path, file.get(), UINT64_MAX, digest);
  return digest.Text();
}

}  // namespace haplospin
