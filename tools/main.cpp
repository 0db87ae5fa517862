// SPDX-License-Identifier: BSD-3-Clause
// `syncline`: the command.
#include "tools/app.h"

int main(int argc, char** argv) {
    return syncline::tools::run_app(argc, argv);
}
