// Standard input, output and error.
#pragma once

namespace haplospin {

// Opens those that are closed, so that no file of ours gets their descriptors and is mixed with messages. Reading from
// such an input and writing to such an output fail. For main().
void OpenClosedStandardStreams();

}  // namespace haplospin
