# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What scripts/bench keeps, says and draws: bench_test.py SOURCE_DIR PROGRAM"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, SOURCE = sys.argv.pop(), pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(SOURCE / "scripts"))
sys.dont_write_bytecode = True
import bench_history  # noqa: E402


def figure(name, value, better="less", spread=0.0, unit="s"):
    return {"name": name, "unit": unit, "better": better, "value": value, "spread": spread, "runs": 3}


def result(*figures, commit="a"):
    return {"commit": commit, "time": "2026-01-02T03:04:05Z", "device": "cpu", "machine": {"processor": "P <1>", "cores": 2}, "figures": list(figures)}


class Comparison(unittest.TestCase):
    def judged(self, old, new):
        return bench_history.judge(old, new)

    def test_a_change_beyond_the_spread_is_told_and_one_within_is_not(self):
        self.assertEqual(self.judged(figure("x", 10), figure("x", 12)), "worse")
        self.assertEqual(self.judged(figure("x", 10), figure("x", 8)), "better")
        self.assertEqual(self.judged(figure("x", 10, spread=0.6), figure("x", 12, spread=0.6)), "same")
        self.assertEqual(self.judged(figure("x", 10), figure("x", 10.4)), "same")

    def test_what_is_better_depends_on_the_figure(self):
        self.assertEqual(self.judged(figure("x", 10, "more"), figure("x", 12, "more")), "better")
        self.assertEqual(self.judged(figure("x", 80.0, "more", unit="%"), figure("x", 79.8, "more", unit="%")), "worse")

    def test_another_model_is_told_and_is_not_worse(self):
        lines, worse = bench_history.compare(result(figure("m", "aa", None)), result(figure("m", "bb", None)))
        self.assertIn("  other  m: aa -> bb s", lines)
        self.assertFalse(worse)

    def test_figures_that_are_gone_are_named(self):
        lines, worse = bench_history.compare(result(figure("x", 1), figure("y", 1)), result(figure("x", 2)))
        self.assertTrue(worse)
        self.assertIn("  gone   y", lines)

    def test_the_table_has_a_column_for_each_machine_and_no_models(self):
        text = bench_history.table([result(figure("x", 1234.5), figure("m", "aa", None)), result(figure("y", 0.5))])
        self.assertIn("| x | 1,234 s |  |", text)
        self.assertIn("| y |  | 0.5 s |", text)
        self.assertNotIn("aa", text)

    def test_the_drawing_is_xml_with_a_point_for_each_run(self):
        text = bench_history.draw([result(figure("x", 1)), result(figure("x", 2)), result(figure("x", 2))])
        circles = xml.etree.ElementTree.fromstring(text).findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 3)
        heights = [float(circle.get("cy")) for circle in circles]
        self.assertGreater(heights[0], heights[1])
        self.assertEqual(heights[1], heights[2])


class Run(unittest.TestCase):
    def test_a_run_is_kept_and_the_next_is_compared_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, SOURCE / "scripts/bench", "--quick", "--program", PROGRAM, "--folder", folder]
            first, second = [subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2)]
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertIn(second.returncode, (0, 3), second.stderr)
            self.assertIn("nothing to compare with yet", first.stdout)
            self.assertIn("compared with", second.stdout)
            self.assertNotIn("other", second.stdout, "the same bytes of every model")
            (last,) = sorted(pathlib.Path(folder).glob("*/*.json"))[-1:]
            kept = json.loads(last.read_text())
            self.assertGreater(kept["machine"]["cores"], 0)
            self.assertIn("fast: training", [one["name"] for one in kept["figures"]])
            self.assertTrue((pathlib.Path(folder) / "quick/history.svg").is_file())


if __name__ == "__main__":
    unittest.main()
