# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Syncline(CMakePackage):
    """Remote memory operations that the network card executes, on Linux Ethernet: atomics, locks,
    barriers, reductions, and on top of them OpenSHMEM, ARMCI and distributed shared memory."""

    license("BSD-3-Clause")

    # dist: in the copy of this recipe, scripts/dist writes the version of its tarball here.

    variant("bench", default=True, description="Build `syncline bench`, the benchmarks")
    variant("simulator", default=True, description="Build `syncline sim`, the simulator of NICs")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    # The programs for the kernel: clang compiles them, bpftool turns them into headers.
    depends_on("llvm@14: +clang targets=bpf", type="build")
    depends_on("bpftool@7:", type="build")
    depends_on("libbpf@1.1:")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3.3:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:")
    depends_on("hwloc@2.4:")
    # Its headers; the library is loaded where a launcher of PMIx has started a process.
    depends_on("pmix@3:", type=("build", "run"))

    requires("platform=linux", msg="XDP and AF_XDP are Linux's")
    requires(
        "target=x86_64:",
        "target=aarch64:",
        policy="one_of",
        msg="the programs for the kernel rely on the memory order of x86_64 or aarch64",
    )
    conflicts("%gcc@:11", msg="the tests compile with gcc 12 and newer")

    def cmake_args(self):
        # An external llvm may be in a prefix where clang's name has a version, /usr/bin/clang-19.
        clang = self["llvm"].cc or self.spec["llvm"].prefix.bin.clang
        return [
            self.define("SYNCLINE_TESTS", False),
            self.define("SYNCLINE_BENCHMARKS", False),
            self.define("SYNCLINE_BPF_CLANG", clang),
            self.define_from_variant("SYNCLINE_BENCH", "bench"),
            self.define_from_variant("SYNCLINE_SIMULATOR", "simulator"),
        ]
