// SPDX-License-Identifier: BSD-3-Clause
// The work that an end of a test bed's veth pair may leave to the "hardware".
#pragma once

#include <string>

namespace syncline::testbed {

// Sets, for an interface in the calling thread's network namespace, which must be up already:
//
// - Transmit checksums and TCP segmentation off. A redirected frame loses the note that its checksum is still
//   to be filled in, so the receiver would drop it without a word.
// - Receive coalescing (GRO) on. It gives a veth end its NAPI context, and without one a veth end drops every frame
//   that is redirected or XDP_TX'ed to it. An XDP program of its own gives it one too, but the test bed must work
//   before one is attached, after it is gone, and in between: a NAPI context that GRO has asked for stays throughout.
//   If GRO is asked for while the interface is down, newer kernels enable NAPI when it goes up but do not mark the
//   peer as a device that can be redirected to (its XDP feature NDO_XMIT), and every redirect to it fails.
void set_offloads(const std::string& interface);

}  // namespace syncline::testbed
