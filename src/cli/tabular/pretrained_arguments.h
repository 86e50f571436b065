// The options of predictions without training, by the network that was trained on synthetic tables.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/command_options.h"
#include "tables/table_reader.h"
#include "tabular/pretrained/in_context_predictor.h"
#include "tabular/pretrained/pretrained_network.h"

namespace haplospin {

// The file that is given, or that of the installation if `given` is empty. Throws InputError if that is not there.
std::string PretrainedPath(const std::string& given);

class PretrainedArguments {
 public:
  TableChoices choices;  // targets and types of columns

  void Declare(CommandOptions& options);

  InContextSettings Settings() const;

  // Throws InputError where neither a model nor a context with targets is given, or both.
  void Check(const std::string& model, const std::string& context) const;

  InContextNetwork Network(torch::Device device) const {
    return ReadPretrainedNetwork(PretrainedPath(network_), device);
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
