# SPDX-License-Identifier: BSD-3-Clause
# The commit of a tarball: `git archive` replaces the text between the dollars (.gitattributes). In a clone it stays as it is.
set(archived_commit "$Format:%H$")
