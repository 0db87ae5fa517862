# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Bpftool(MakefilePackage):
    """Inspects BPF programs and maps of the Linux kernel, and makes C headers of BPF objects."""

    homepage = "https://bpftool.dev"
    git = "https://github.com/libbpf/bpftool.git"

    license("GPL-2.0-only OR BSD-2-Clause")

    version(
        "7.7.0", tag="v7.7.0", commit="4222ef1c8cdb0a1ea03c7a8c650ec334b782902d", submodules=True
    )
    version(
        "7.5.0", tag="v7.5.0", commit="d844a27fc175aeae3bcb29b052813ef210c97004", submodules=True
    )

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils")
    depends_on("zlib-api")
    depends_on("openssl", when="@7.7:")

    requires("platform=linux", msg="BPF is Linux's")

    build_directory = "src"

    def install(self, spec, prefix):
        with working_dir(self.build_directory):
            completions = join_path(prefix.share, "bash-completion", "completions")
            make("install", f"prefix={prefix}", f"bash_compdir={completions}")
