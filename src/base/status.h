// SPDX-License-Identifier: BSD-3-Clause
// The words for a status of syncline.h. Messages of all layers and the front-ends' own calls for it use them.
#pragma once

#include <string>

namespace syncline {

// Constant text without an end of sentence; "unknown status" for a number that is none. Any thread.
const char* status_text(int status);

// SYNCLINE_ERR_NODE means this from now on, for the whole process. The first sentence that is not empty stays.
void explain_node_status(const std::string& sentence);

}  // namespace syncline
