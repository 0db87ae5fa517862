// SPDX-License-Identifier: BSD-3-Clause
// The text for a status of syncline.h. Messages of all layers and the front-ends' own calls for it use it.
#pragma once

#include <string>

namespace syncline {

// Returns constant text without a full stop; "unknown status" for a number that is no status. Any thread.
const char* status_text(int status);

// Makes this message the meaning of SYNCLINE_ERR_NODE from now on, for the whole process. The first message that is not
// empty stays.
void explain_node_status(const std::string& sentence);

}  // namespace syncline
