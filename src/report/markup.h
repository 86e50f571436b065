// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

// & < > and " as entities; control characters, which are not allowed in XML, as "?".
std::string EscapeMarkup(std::string_view text);

}  // namespace haplospin
