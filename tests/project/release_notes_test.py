# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the excerpts that scripts/release_notes makes of a changelog: release_notes_test.py SOURCE_DIR"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
HEAD = "# Changelog\n\nAll changes.\n\n"
UNRELEASED = "## [Unreleased]\n\n### Added\n\n- What [comes](docs/next.md) next.\n\n"
CUT = "## [0.2.0] - 2026-12-01\n\n### Fixed\n\n- A fault, see [the page](docs/page.md) and [elsewhere](https://example.org/x).\n\n## [0.1.0] - 2026-11-01\n\nFirst.\n"


class ReleaseNotes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts/release_notes", self.root / "scripts")
        (self.root / "CMakeLists.txt").write_text("project(fernwood VERSION 0.2.0 LANGUAGES CXX)\n")

    def run_script(self, changelog, *words):
        (self.root / "CHANGELOG.md").write_text(changelog)
        return subprocess.run([self.root / "scripts/release_notes", *words], capture_output=True, text=True, check=False)

    def refused(self, changelog, sentence, *words):
        run = self.run_script(changelog, *words)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn(sentence, run.stderr)

    def test_a_section_that_is_cut_goes_before_what_is_unreleased(self):
        run = self.run_script(HEAD + UNRELEASED + CUT)
        self.assertEqual(run.stdout, "# fernwood 0.2.0 (2026-12-01)\n\n### Fixed\n\n- A fault, see the page and [elsewhere](https://example.org/x).\n")

    def test_before_it_is_cut_the_notes_are_what_is_unreleased(self):
        run = self.run_script(HEAD + UNRELEASED)
        self.assertEqual(run.stdout, "# fernwood 0.2.0\n\n### Added\n\n- What comes next.\n")

    def test_another_version_can_be_asked_for(self):
        self.assertEqual(self.run_script(HEAD + UNRELEASED + CUT, "0.1.0").stdout, "# fernwood 0.1.0 (2026-11-01)\n\nFirst.\n")

    def test_whether_it_is_cut_is_told(self):
        self.assertEqual(self.run_script(HEAD + CUT, "--is-cut").returncode, 0)
        self.assertEqual(self.run_script(HEAD + UNRELEASED, "--is-cut").returncode, 1)

    def test_what_makes_no_notes_is_refused(self):
        self.refused(HEAD, "neither a section [0.2.0] nor [Unreleased]")
        self.refused(HEAD + "## [Unreleased]\n\n", "nothing in [Unreleased]")
        self.refused(HEAD + CUT.replace("2026-12-01", "soon"), "give the date")
        self.refused(HEAD + UNRELEASED.replace("Added", "Improved"), 'has "### Improved"')
        self.refused(HEAD + UNRELEASED, "give three numbers", "next")

    def test_the_changelog_of_the_project_has_notes(self):
        run = self.run_script((SOURCE / "CHANGELOG.md").read_text(), "0.1.0")
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
