# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Libbpf(MakefilePackage):
    """Library that loads BPF programs into the Linux kernel."""

    homepage = "https://libbpf.readthedocs.io"
    git = "https://github.com/libbpf/libbpf.git"

    license("LGPL-2.1-only OR BSD-2-Clause")

    version("1.7.0", tag="v1.7.0", commit="f5dcbae736e5d7f83a35718e01be1a8e3010fa39")
    version("1.5.1", tag="v1.5.1", commit="b4fa3e39a77fd65574fb5f899486795fc3d89bd9")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils")
    depends_on("zlib-api")

    requires("platform=linux", msg="BPF is Linux's")

    build_directory = "src"

    def install(self, spec, prefix):
        with working_dir(self.build_directory):
            make("install", f"PREFIX={prefix}", f"LIBDIR={prefix.lib}")
