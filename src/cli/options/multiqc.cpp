#include "cli/options/multiqc.h"

#include <fmt/format.h>

#include "core/letter_case.h"

namespace haplospin {

nlohmann::ordered_json MultiqcColumn(const char* title, const char* description, const char* format,
                                     const char* suffix) {
  return {{"title", title}, {"description", description}, {"format", format}, {"suffix", suffix}, {"scale", false}};
}

MultiqcSection MultiqcTable(const std::string& id, const std::string& title, const std::string& description,
                            const nlohmann::ordered_json& headers, const nlohmann::ordered_json& rows) {
  const nlohmann::ordered_json config = {{"id", id + "_table"}, {"title", "haplospin: " + ToLower(title)}};
  return {.id = id,
          .title = title,
          .description = description,
          .plot = "table",
          .layout = {{"headers", headers}, {"pconfig", config}},
          .data = rows};
}

std::string MultiqcText(const MultiqcSection& section) {
  nlohmann::ordered_json json = section.layout;
  json["id"] = section.id;
  json["section_name"] = section.title;
  json["description"] = section.description;
  json["parent_id"] = json["parent_name"] = "haplospin";
  json["parent_description"] = "Genotype imputation.";
  json["plot_type"] = section.plot;
  json["data"] = section.data;
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string MultiqcPath(const std::string& prefix, std::string_view kind) {
  return prefix.empty() ? "" : fmt::format("{}.{}_mqc.json", prefix, kind);
}

}  // namespace haplospin
