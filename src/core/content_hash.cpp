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
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    HS_ASSERT(context_ != nullptr);
    HS_CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void Update(const void* bytes, size_t size) { HS_CHECK(EVP_DigestUpdate(context_.get(), bytes, size) == 1); }

  std::string Hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    HS_CHECK(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string Sha256(std::string_view bytes) {
  Digest digest;
  digest.Update(bytes.data(), bytes.size());
  return digest.Hexadecimal();
}

std::string Sha256OfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  Digest digest;
  std::vector<char> buffer(1 << 18);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    digest.Update(buffer.data(), count);
  if (std::ferror(file.get()) != 0) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return digest.Hexadecimal();
}

}  // namespace haplospin
