# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the output of scripts/write_sbom for packages and their copyright files: write_sbom_test.py SOURCE_DIR"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
HEAD = "Libraries in x, or compiled in (-dev), come unchanged from these packages of\nDebian GNU/Linux 12 (bookworm); their sources: elsewhere.\n"


def copyright_file(licence):
    return f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: someone\nLicense: {licence}\n text\n\n" \
           "Files: debian/*\nCopyright: another\nLicense: GPL-3+\n text\n"


class Bill(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def package(self, name, version, licence):
        listing = self.folder / "packages.txt"
        listing.write_text((listing.read_text() if listing.exists() else HEAD) + f"{name} {version}\n")
        (self.folder / f"{name}.txt").write_text(copyright_file(licence))

    def run_script(self, *others, options=()):
        out = self.folder / "bill.json"
        run = subprocess.run([SOURCE / "scripts/write_sbom", *options, self.folder, "fernwood", "0.1.0", "x86_64", out, *others], capture_output=True, text=True, check=False,
                             env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        return run, out.read_bytes() if run.returncode == 0 else b""

    def components(self, *others):
        run, text = self.run_script(*others)
        self.assertEqual(run.returncode, 0, run.stderr)
        return {one["name"]: one for one in json.loads(text)["components"]}

    def test_versions_and_licences_are_those_of_the_packages(self):
        self.package("libone1", "1:2.0+dfsg-1", "Expat")
        self.package("libtwo-dev", "3-1", "BSD-3-clause or GPL-2")
        found = self.components()
        self.assertEqual(found["libone1"]["licenses"], [{"license": {"id": "MIT"}}])
        self.assertEqual(found["libone1"]["purl"], "pkg:deb/debian/libone1@1%3A2.0%2Bdfsg-1?arch=amd64&distro=bookworm")
        self.assertEqual(found["libtwo-dev"]["licenses"], [{"expression": "BSD-3-Clause OR GPL-2.0-only"}])
        self.assertEqual(found["libtwo-dev"]["properties"][0]["value"], "compiled in")

    def test_a_package_of_another_release_is_told_as_that(self):
        self.package("libone1", "1", "Expat")
        self.package("libtwo1", "2 trixie", "Expat")
        found = self.components()
        self.assertEqual(found["libone1"]["purl"], "pkg:deb/debian/libone1@1?arch=amd64&distro=bookworm")
        self.assertEqual(found["libtwo1"]["purl"], "pkg:deb/debian/libtwo1@2?arch=amd64&distro=trixie")

    def test_parts_of_the_compilers_library_have_its_exception(self):
        self.package("libstdc++-12-dev", "12", "GPL-3+")
        self.assertEqual(self.components()["libstdc++-12-dev"]["licenses"], [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}])

    def test_what_spdx_does_not_know_has_its_name(self):
        self.package("libone1", "1", "public-domain")
        self.assertEqual(self.components()["libone1"]["licenses"], [{"license": {"name": "public-domain"}}])

    def test_what_is_no_package_of_debian_is_told(self):
        self.package("libone1", "1", "Expat")
        found = self.components("binder", "3.1", "BSD-3-Clause", "pkg:pypi/binder@3.1", "runtime", "13", "LicenseRef-Its own", "pkg:generic/runtime@13")
        self.assertEqual(found["binder"]["licenses"], [{"license": {"id": "BSD-3-Clause"}}])
        self.assertEqual(found["runtime"]["licenses"], [{"license": {"name": "Its own"}}])

    def test_the_same_packages_give_the_same_bytes_and_others_do_not(self):
        self.package("libone1", "1", "Expat")
        first = self.run_script()[1]
        self.assertEqual(first, self.run_script()[1])
        (self.folder / "packages.txt").write_text(HEAD + "libone1 2\n")
        second = self.run_script()[1]
        self.assertNotEqual(json.loads(first)["serialNumber"], json.loads(second)["serialNumber"])

    def test_a_licence_that_is_not_known_has_debians_name_or_is_refused(self):
        self.package("libone1", "1", "Unheard-of")
        self.package("libtwo1", "1", "Expat")
        (self.folder / "libtwo1.txt").write_text("Copyright somebody.\n\nRedistribution is permitted.\n")
        found = self.components()
        self.assertEqual(found["libone1"]["licenses"], [{"license": {"name": "Unheard-of"}}])
        self.assertEqual(found["libtwo1"]["licenses"], [{"license": {"name": "as in libtwo1.txt"}}])
        run, _ = self.run_script(options=["--strict"])
        self.assertEqual(run.returncode, 1)
        self.assertIn('libone1 has the licence "Unheard-of", which is not in the table', run.stderr)

    def test_an_empty_list_is_refused(self):
        (self.folder / "packages.txt").write_text(HEAD)
        self.assertIn("names no packages", self.run_script()[0].stderr)


if __name__ == "__main__":
    unittest.main()
