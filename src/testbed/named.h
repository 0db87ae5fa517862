// SPDX-License-Identifier: BSD-3-Clause
// The records of named test beds on the machine: a folder for each with a state file, and names under /run/netns.
#pragma once

#include <string>
#include <vector>

#include "testbed/testbed.h"

namespace syncline::testbed {

std::string node_netns_name(const std::string& name, int node);
std::string switch_netns_name(const std::string& name);

// Claims the name, or throws SYNCLINE_ERR_BUSY. If two processes try at once, exactly one gets it.
void claim_name(const std::string& name);
// Replaces the state file in one step; a reader sees all of it or none.
void write_state(const Options& options);
Options read_state(const std::string& name);
// Throws Failure unless the namespaces of this test bed have their names; needs no privilege.
void check_namespaces(const Options& options);

// Removes the names of all namespaces, then the state, so a caller can repeat a removal that was cut short. Returns
// false if there was nothing to remove.
bool remove_named(const std::string& name);
std::vector<std::string> list_named();

}  // namespace syncline::testbed
