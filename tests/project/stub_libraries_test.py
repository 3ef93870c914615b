# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests which symbols scripts/write_stub_libraries keeps of a versioned library: stub_libraries_test.py SOURCE_DIR"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
LIBRARY = r"""
int first_as_of_1(void) { return 1; }
int first_as_of_2(void) { return 2; }
__asm__(".symver first_as_of_1, first@FAMILY_1.9");
__asm__(".symver first_as_of_2, first@@FAMILY_1.10");
int second(void) { return 3; }
int old(void) { return 4; }
__asm__(".symver old, forgotten@FAMILY_1.9");
int number = 5;
extern int same_number __attribute__((alias("number")));
"""
VERSIONS = "FAMILY_1.9 { global: number; same_number; first; forgotten; local: *; };\nFAMILY_1.10 { global: first; second; };\n"


class Stub(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "real").mkdir()
        (self.folder / "stub").mkdir()
        (self.folder / "a.c").write_text(LIBRARY)
        (self.folder / "a.map").write_text(VERSIONS)
        self.compile("-shared", "-fPIC", "a.c", "-Wl,--version-script=a.map", "-Wl,-soname,liba.so.1", "-o", "real/liba.so")

    def compile(self, *arguments):
        return subprocess.run(["gcc", *arguments], cwd=self.folder, check=True)

    def symbols(self, limit):
        """Maps name@version or name@@version to addresses in the stub."""
        subprocess.run([SOURCE / "scripts/write_stub_libraries", self.folder / "real", self.folder / "stub", f"FAMILY={limit}", "--", "liba.so"], check=True)
        listing = subprocess.run(["readelf", "--dyn-syms", "--wide", self.folder / "stub/liba.so"], check=True, capture_output=True, text=True).stdout
        return {match[2]: match[1] for match in re.finditer(r"^ *\d+: (\w+) +\d+ (?:FUNC|OBJECT) +GLOBAL DEFAULT +\d+ (\w+@+\S+)", listing, re.M)}

    def test_what_is_newer_than_the_limit_is_not_there_and_its_name_means_what_it_meant(self):
        self.assertEqual(set(self.symbols("1.9")), {"first@@FAMILY_1.9", "number@@FAMILY_1.9", "same_number@@FAMILY_1.9"})

    def test_within_the_limit_names_have_their_defaults(self):
        self.assertEqual(set(self.symbols("1.10")), {"first@@FAMILY_1.10", "second@@FAMILY_1.10", "number@@FAMILY_1.9", "same_number@@FAMILY_1.9"})

    def test_names_of_one_object_stay_at_one_place(self):
        found = self.symbols("1.9")
        self.assertEqual(found["number@@FAMILY_1.9"], found["same_number@@FAMILY_1.9"])

    def test_a_program_linked_to_the_stub_asks_the_real_library_for_the_older_function(self):
        self.symbols("1.9")
        (self.folder / "main.c").write_text("int first(void);\nextern int number;\nint main(void) { return 10 * first() + number; }\n")
        self.compile("main.c", "stub/liba.so", "-o", "main")
        (self.folder / "real/liba.so").rename(self.folder / "real/liba.so.1")
        run = subprocess.run([self.folder / "main"], env={"LD_LIBRARY_PATH": str(self.folder / "real")}, check=False)
        self.assertEqual(run.returncode, 15)


if __name__ == "__main__":
    unittest.main()
