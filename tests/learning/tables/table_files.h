// Files for tests that read tables.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {

class TableFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& text, const std::string& name = "table.csv") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  std::string WriteGzipped(const std::string& text, const std::string& name = "table.csv.gz") const {
    gzFile file = gzopen((folder_ / name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return folder_ / name;
  }

  // The message of the InputError that `act` throws; it must be one line.
  template <typename Function>
  static std::string ErrorOf(Function act) {
    try {
      act();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << "no InputError";
    return "";
  }

  TemporaryFolder folder_;
};

}  // namespace haplospin
