// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

// Escapes text: & < > and " become entities; control characters, which are not allowed in XML, become
// "?".
std::string EscapeMarkup(std::string_view text);

}  // namespace haplospin
