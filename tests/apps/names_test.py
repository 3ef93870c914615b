# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Names round-trip through each file that the program writes, as read by Python's parsers, or are refused with an
error.

  names_test.py PROGRAM"""

import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

PROGRAM = sys.argv.pop(1)

# Names with special characters of parsers, terminals and shells, and each control character that TOML can hold.
NAMES = ["plain", "a & <b> \"c\" 'd'", "]]>", "&amp;", "-->", "a,b;c", " blanks around ", "\ttab", "line\nfeed", "return\r",
         "both\r\n", "ü 漢 😀", "\u0085next", "\u2028line", "\ufffd", "\ufdd0", "\ufffe", "\uffff", "\\ back \\u0041", "%s{}$(x)`x`",
         "x" * 4000] + ["c" + chr(code) + "d" for code in [*range(1, 9), 11, 12, *range(14, 32), 127, 0x80, 0x9f]]
# Characters that production 2 of XML 1.0 excludes.
BEYOND_XML = [name for name in NAMES if any(ord(c) < 32 and c not in "\t\n\r" or c in "\ufffe\uffff" for c in name)]


def is_control(c):
    code = ord(c)
    return code < 32 and c != "\t" or 127 <= code < 160 or 0x2028 <= code <= 0x202E or 0x2066 <= code <= 0x2069


# Names of classes; those of frames may hold all that a file's name can.
CLASSES = [name for name in NAMES if not any(map(is_control, name))]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    height, width = len(rows), len(rows[0])
    pixels = b"".join(b"\0" + b"".join(bytes(pixel) for pixel in row) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def toml_text(name):
    return '"' + "".join(f"\\U{ord(c):08x}" for c in name) + '"'


class Names(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=120)

    def data_set(self, classes, frames):
        """Writes a data set with a frame of each name in `frames`, with pixels of each class."""
        folder = self.folder / "data"
        subprocess.run(["rm", "-rf", folder], check=True)
        folder.mkdir()
        colors = [(i + 1, 0, 7) for i in range(len(classes))]
        with open(folder / "dataset.toml", "w", encoding="utf-8") as file:
            for name, color in zip(classes, colors):
                file.write(f"[[classes]]\nname = {toml_text(name)}\ncolor = {list(color)}\n")
        picture = png([[color] * 2 for color in colors])
        for frame in frames:
            stem = frame if isinstance(frame, bytes) else frame.encode()
            for end in (b"_colors.png", b"_ground_truth.png"):
                with open(bytes(folder) + b"/" + stem + end, "wb") as file:
                    file.write(picture)
        return folder

    def export(self, folder, kind):
        out = self.folder / "out"
        subprocess.run(["rm", "-rf", out], check=True)
        result = self.run_program("dataset", "export", "--data", folder, "--format", kind, "--out", out)
        return result.returncode, result.stderr.decode(errors="replace"), out

    def exported(self, folder, kind):
        code, error, out = self.export(folder, kind)
        self.assertEqual(code, 0, error)
        return out

    def frames_like(self, names):
        return [name[:100].replace("/", "_") for name in names if name.strip()]

    def test_json_holds_all(self):
        frames = self.frames_like(NAMES)
        folder = self.data_set(CLASSES, frames)
        files = sorted(frame + "_colors.png" for frame in frames)
        coco = json.loads(self.exported(folder, "coco").read_text(encoding="utf-8"))
        self.assertEqual([one["name"] for one in coco["categories"]], CLASSES)
        self.assertEqual(sorted(one["file_name"] for one in coco["images"]), files)
        tasks = json.loads(self.exported(folder, "label-studio").read_text(encoding="utf-8"))
        self.assertEqual(sorted(task["data"]["image"] for task in tasks), files)
        labels = [one["value"]["brushlabels"][0] for one in tasks[0]["annotations"][0]["result"]]
        self.assertEqual(labels, CLASSES)

    def test_xml_holds_what_xml_can(self):
        names = [name for name in CLASSES if name not in BEYOND_XML]
        frames = self.frames_like(names)
        root = xml.etree.ElementTree.parse(self.exported(self.data_set(names, frames), "cvat")).getroot()
        images = root.findall("image")
        self.assertEqual(sorted(image.get("name") for image in images), sorted(frame + "_colors.png" for frame in frames))
        self.assertEqual([mask.get("label") for mask in images[0].findall("mask")], names)

    def test_xml_is_refused_what_it_cannot(self):
        self.assertGreaterEqual(len(BEYOND_XML), 30)
        for name in BEYOND_XML:
            for classes, frame in ((["plain"], name), *([([name], "plain")] if name in CLASSES else [])):
                code, error, out = self.export(self.data_set(classes, [frame]), "cvat")
                self.assertEqual((code, out.exists()), (3, False), repr(name))
                self.assertRegex(error, r"U\+[0-9A-F]{4}.*which XML cannot; rename it, or take the format coco")

    def test_bytes_that_are_no_text_are_refused(self):
        folder = self.data_set(["plain"], [b"\xff"])
        for kind in ("coco", "cvat", "label-studio"):
            code, error, out = self.export(folder, kind)
            self.assertEqual((code, out.exists()), (3, False), kind)
            self.assertIn("is not UTF-8", error)

    def test_lists_have_a_name_a_line(self):
        out = self.exported(self.data_set(CLASSES, ["plain"]), "npy")
        with open(out / "classes.txt", encoding="utf-8", newline="\n") as file:
            self.assertEqual(file.read().split("\n"), CLASSES + [""])

    def test_classes_have_no_control_characters(self):
        for name in NAMES:
            if name not in CLASSES:
                code, error, out = self.export(self.data_set([name], ["plain"]), "png")
                self.assertEqual((code, out.exists()), (3, False), repr(name))
                self.assertIn("control characters", error)
                self.assertFalse(any(map(is_control, error.rstrip("\n"))), repr(error))


unittest.main()
