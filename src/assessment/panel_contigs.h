// The contigs of a panel, found in any order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "variant_io/reading/panel_reader.h"

namespace haplospin {

class PanelContigs {
 public:
  PanelContigs(const std::string& path, int threads);

  // Moves to the contig; its name in the panel, or nothing if the panel does not have it. A panel without an index is
  // read again from its beginning where the contig has been passed.
  std::optional<std::string> Find(const std::string& contig);

  PanelReader& reader() { return *reader_; }

 private:
  void Open();
  std::optional<std::string> FindByIndex(const std::string& contig);
  std::optional<std::string> ReadOnTo(const std::string& contig);

  std::string path_;
  int threads_;
  std::unique_ptr<PanelReader> reader_;
  std::vector<std::string> indexed_;
  bool is_begun_ = false;  // some contig has been read or passed over
};

}  // namespace haplospin
