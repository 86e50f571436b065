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

std::string Sha256OfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  HS_ASSERT(digest != nullptr);
  HS_CHECK(EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1);
  std::vector<char> buffer(1 << 18);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    HS_CHECK(EVP_DigestUpdate(digest.get(), buffer.data(), count) == 1);
  }
  if (std::ferror(file.get()) != 0) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  HS_CHECK(EVP_DigestFinal_ex(digest.get(), bytes.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace haplospin
