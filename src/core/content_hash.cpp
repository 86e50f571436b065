#include "core/content_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {

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
