// SPDX-License-Identifier: BSD-3-Clause
// The folders of the sources and of the build, which only folders.cpp.in names: ccache finds what names neither again
// from a clone in another folder.
#pragma once

#include <string>

namespace syncline {

std::string source_folder();
std::string build_folder();

}  // namespace syncline
