# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/PERFORMANCE.md and README.md, made of the files in bench/results."""
