// The options of predictions without training.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/command_options.h"
#include "tables/table_reader.h"
#include "tabular/pretrained/in_context_predictor.h"
#include "tabular/pretrained/pretrained_network.h"

namespace haplospin {

class PretrainedArguments {
 public:
  TableChoices choices;  // targets and types of columns

  void Declare(CommandOptions& options);

  InContextSettings Settings() const;

  // Throws InputError where neither a model nor a context with targets is given, or both.
  void Check(const std::string& model, const std::string& context) const;

  // Empty unless the user gave one.
  InContextNetwork Network(torch::Device device) const {
    return network_.empty() ? InContextNetwork(nullptr) : ReadPretrainedNetwork(network_, device);
  }

 private:
  std::string network_;
  std::vector<std::string> quantiles_;
  int64_t views_ = InContextSettings().views, seed_ = 1;
};

// Reads rows with targets and logs the types of their columns. Throws InputError where they cannot be learned from, or
// have more columns or classes than the network can read.
Table ReadContextTable(const std::string& path, const CsvFormat& format, const TableChoices& choices);

}  // namespace haplospin
