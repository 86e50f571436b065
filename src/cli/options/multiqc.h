// Sections of a report of MultiQC: files of its custom content, which MultiQC finds by their names and reads without a
// module (https://docs.seqera.io/multiqc/custom_content).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace haplospin {

struct MultiqcSection {
  std::string id;  // sections of several files with the same id are joined
  std::string title;
  std::string description;
  std::string plot;               // "table" or "linegraph"
  nlohmann::ordered_json layout;  // "headers" of a table, "pconfig" of a graph
  nlohmann::ordered_json data;    // rows or lines by name
};

// The heading of a column of a table; `format` is of Python, as in "{:,.0f}".
nlohmann::ordered_json MultiqcColumn(const char* title, const char* description, const char* format,
                                     const char* suffix = "");

// A table with headings by MultiqcColumn(), and rows by name.
MultiqcSection MultiqcTable(const std::string& id, const std::string& title, const std::string& description,
                            const nlohmann::ordered_json& headers, const nlohmann::ordered_json& rows);

std::string MultiqcText(const MultiqcSection& section);

// The file PREFIX.KIND_mqc.json of --multiqc PREFIX, for OptionalOutput; "" is none.
std::string MultiqcPath(const std::string& prefix, std::string_view kind);

}  // namespace haplospin
