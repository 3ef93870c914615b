# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Names with unusual characters, read back from the program's output with Python's parser: names_test.py PROGRAM"""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

program = sys.argv.pop(1)
NAMES = ["a\tb", "plain", "a,b", 'say "x"', "a;b", " blanks ", "#1", "Küche", "日本", "-1", "x" * 200, "é", "a'b", "\\", "/"]


class TablesComeBack(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)

    def test_tables_come_back(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            train, model, out = folder / "train.csv", folder / "model", folder / "out.csv"
            with open(train, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
                writer.writerow(["value", "class"])
                writer.writerows([i, name] for i, name in enumerate(NAMES) for _ in range(3))
            result = self.run_program("train", "--data", train, "--trees", "1", "--out", model)
            self.assertEqual(result.returncode, 0, result.stderr)
            result = self.run_program("predict", "--model", model, "--data", train, "--as", "probability", "--out", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(out, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file, strict=True))
        self.assertEqual(rows[0][0], "class")
        self.assertEqual(sorted(rows[0][1:]), sorted(NAMES))
        self.assertTrue(all(len(row) == len(NAMES) + 1 and row[0] in rows[0] for row in rows))


unittest.main()
