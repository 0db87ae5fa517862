// SPDX-License-Identifier: BSD-3-Clause
// The words for a status of syncline.h. Messages of all layers and the front-ends' own calls for it use them.
#pragma once

namespace syncline {

// Constant text without an end of sentence; "unknown status" for a number that is none. Any thread.
const char* status_text(int status);

}  // namespace syncline
