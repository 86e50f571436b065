// The contigs of a panel, found in any order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "variant_io/reading/panel_reader.h"

namespace haplospin {

class PanelContigs {
 public:
  // Reads only `samples`, unless there are none, as OpenPanel() does.
  explicit PanelContigs(const std::string& path, std::vector<std::string> samples = {});

  // Reads a panel that is stored in the file `path`, and that `open` opens from its beginning.
  using Opener = std::function<std::unique_ptr<PanelReader>()>;
  PanelContigs(std::string path, Opener open);

  // Does what PanelReader::DivideContigs() does.
  void DivideContigs(const PloidyRegions& regions);

  // Moves to the contig; its name in the panel, or nothing if the panel does not have it. A panel without an index is
  // read again from its beginning where the contig may have been passed, so it must be a file.
  std::optional<std::string> Find(const std::string& contig);

  // Returns the contigs that have records: all of them if the panel has an index or has been read to its end, otherwise
  // those read so far.
  std::vector<std::string> Names() { return names_.empty() ? reader_->Contigs() : names_; }

  // Returns Names(), and the contigs that the header declares.
  std::vector<std::string> KnownNames();

  PanelReader& reader() { return *reader_; }

 private:
  std::optional<std::string> ReadOnTo(const std::string& contig);

  std::string path_;
  Opener open_;
  PloidyRegions regions_;
  std::unique_ptr<PanelReader> reader_;
  std::vector<std::string> names_;  // contigs that are known
  bool is_indexed_ = false;
  bool is_begun_ = false;  // some contig has been read or passed over
};

}  // namespace haplospin
