# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Counts the strokes that a project needs, with a simulated user who knows the ground truth and draws where the forest
is most wrong. Run by scripts/simulate_teacher, which passes the program. Frames are chosen in three ways: in order,
each until nine tenths of it are correct; in turn, two strokes on each; and two strokes on each frame that `fernwood
teach` proposes next.

  FRAMES SEEDS [BACKBONE]   number of generated frames of 320 x 240 to label (accuracy is measured on 40 others), number
                            of repetitions, and a backbone whose feature maps the forests read
  ROOMSxFRAMES SEEDS        recordings in place of frames (accuracy is measured on 20 others of two frames), with each
                            stroke on its frame only, and carried to all frames that see the place
  FOLDER:FRAMES SEEDS [BACKBONE]   real frames, drawn anew for each seed from the data set FOLDER/train (accuracy is
                            measured on 40 of FOLDER/val), not in order

After each two strokes the newest model labels the other frames. The result is the number of strokes until its accuracy
(correct pixels of at most six classes) is 80 and 90 % of that of the same quick forest, without a backbone, trained on
the full ground truth of the frames; and the median time from a stroke to the labels of all frames.
"""

import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from endurance import PROGRAM, Taught, Teacher
from PIL import Image
from reader import classes_of

STROKES_OF_A_VISIT = 2
WAYS = ("in order", "in turn", "by uncertainty")
RIGHT_ENOUGH = 0.9
LENGTH, RADIUS = 60, 4  # of a stroke, in pixels
MOST_STROKES = 240
# Options of the forest that `teach` trains after each stroke.
QUICK = ["--preset", "fast", "--trees", "12", "--features", "100", "--min-samples", "10", "--class-weights", "sqrt"]


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


class Judge:
    """Accuracy on frames that are not labelled by hand, for the classes of the project."""

    def __init__(self, folder, colors):
        self.test = folder / "test"
        every = {tuple(entry[1]) for f in sorted(folder.rglob("*_ground_truth.png")) for entry in
                 Image.open(f).convert("RGB").getcolors(1 << 16)}  # fmt: skip
        self.ignored = [word for color in sorted(every - set(colors) - {(0, 0, 0)})
                        for word in ("--ignored-colors", ",".join(map(str, color)))]  # fmt: skip

    def accuracy(self, model):
        answer = run("evaluate", "--model", model, "--data", self.test, "--json", "--device", "cpu")
        return json.loads(answer)["pixel_accuracy"]


def most_wrong(truth, labels, colors):
    """The class with the most wrong pixels, and a stroke along their longest row."""
    wrong = (truth != labels).any(axis=2)
    masks = [wrong & (truth == np.array(color)).all(axis=2) for color in colors]
    number = int(np.argmax([mask.sum() for mask in masks]))
    mask, best, run_length = masks[number], (0, 0, 0), np.zeros(masks[number].shape[0], int)
    for x in range(mask.shape[1]):
        run_length = np.where(mask[:, x], run_length + 1, 0)
        y = int(np.argmax(run_length))
        if run_length[y] > best[0]:
            best = (int(run_length[y]), y, x)
    length, y, last = best
    if length == 0:
        return None
    middle, half = last - length // 2, min(length, LENGTH) // 2
    points = [value for x in range(middle - half, middle + half + 1, 4) for value in (8 * x + 4, 8 * y + 4)]
    return {"do": "stroke", "class": number, "brush": 8 * RADIUS, "points": points}


def place_of(data, name):
    """A frame's files in a data set. In a project, frames of recordings have the recording's name before their own."""
    return name if (data / f"{name}_ground_truth.png").exists() else name.replace("_", "/", 1)


class Lessons:
    def __init__(self, folder, data, options):
        self.taught = Taught(folder, data, "--device", "cpu", *options)
        self.model = folder / "newest.fernwood"
        self.names = [frame["name"] for frame in self.taught.project["frames"]]
        self.teacher = Teacher(data, [place_of(data, name) for name in self.names])
        self.truths = [np.asarray(truth) for truth in self.teacher.truths]
        self.next = []
        self.carries = False
        self.has_learnt = False  # a single class cannot be trained: until a second is drawn, all frames have its colour
        self.first_color = (0, 0, 0)
        self.seconds = []  # from a stroke to the labels of all frames
        names = classes_of(data) if (data.parent / "dataset.toml").exists() else {}
        for color in self.teacher.colors:
            self.taught.says(do="add_class", name=names.get(color, f"class {color}"), color=list(color))

    def got(self, path):
        request = urllib.request.Request(f"http://{self.taught.host}/{self.taught.token}{path}")
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def labels(self, frame):
        if not self.has_learnt:
            return np.full_like(self.truths[frame], self.first_color)
        return np.asarray(Image.open(io.BytesIO(self.got(f"/frames/{frame}/labels"))).convert("RGB"))

    def share_right(self, frame):
        truth, labels = self.truths[frame], self.labels(frame)
        taught = np.any([(truth == np.array(color)).all(axis=2) for color in self.teacher.colors], axis=0)
        return ((truth == labels).all(axis=2) & taught).sum() / max(1, taught.sum())

    def carry(self):
        self.carries = self.taught.says(do="carry", is_carried=True)["done"]

    def draw(self, frame):
        """Draws one stroke; if the project can be trained, waits until all frames have new labels. Returns whether
        there was anything to draw."""
        stroke = most_wrong(self.truths[frame], self.labels(frame), self.teacher.colors)
        if stroke is None:
            return False
        taught, version, needs, found, is_carried = self.taught, None, "", set(), not self.carries
        taught.last_id += 1
        start = time.monotonic()
        taught.socket.send(json.dumps(stroke | {"frame": frame, "id": taught.last_id}))
        while not is_carried or (not needs and len(found) < len(self.names)):
            message = taught.hear()
            if version is not None:
                needs = message.get("needs", needs)
            if message.get("truth") == frame:
                version = message["version"]
            if "labels" in message and message["of"] == version and not message["thorough"]:
                found.add(message["labels"])
            if "carried_all" in message and version is not None:
                is_carried = True
                if message["carried_all"]:
                    found = set()  # labels are computed again, including the carried ones
            if version is not None and needs and is_carried:
                self.first_color = self.teacher.colors[stroke["class"]]
                return True
        self.seconds.append(time.monotonic() - start)
        while "next" not in message:
            message = taught.hear()
        self.next = message["next"]
        self.has_learnt = True
        return True


def next_frame(lessons, frame, way):
    if way == "by uncertainty":
        return next(other for other in lessons.next if other != frame)
    is_done = bool(way == "in turn" or lessons.share_right(frame) >= RIGHT_ENOUGH)
    return (frame + is_done) % len(lessons.names)


def strokes_until(folder, data, judge, goals, way, options):
    lessons, reached, strokes, frame = Lessons(folder, data, options), {}, 0, 0
    if way == "carried":
        lessons.carry()
    while len(reached) < len(goals) and strokes < MOST_STROKES:
        for _ in range(STROKES_OF_A_VISIT):
            strokes += lessons.draw(frame)
        if not lessons.has_learnt:
            continue
        lessons.model.write_bytes(lessons.got("/export/model"))
        accuracy = judge.accuracy(lessons.model)
        for goal in goals:
            if accuracy >= goals[goal]:
                reached.setdefault(goal, strokes)
        frame = next_frame(lessons, frame, "by uncertainty" if way == "carried" else way)
    lessons.taught.kill()
    return reached, statistics.median(lessons.seconds)


def generate(folder, frames, seed):
    """Generates frames, or recordings of rooms."""
    rooms, _, length = frames.partition("x")
    words = ["--test-frames", 20, "--sequence", length, "--fps", 2] if length else ["--test-frames", 40]
    run("dataset", "generate", "--out", folder, "--frames", rooms, "--size", "320x240", "--seed", seed, *words)
    if length:  # test recordings are reduced to two frames each, the first and a middle one
        for recording in (folder / "test").iterdir():
            for file in recording.glob("frame*"):
                if file.name[5:9] not in ("0000", f"{int(length) // 2:04}"):
                    file.unlink()


def draw_frames(folder, source, frames, seed):
    """Links frames of `source`/train and `source`/val, drawn by `seed`."""
    chance = random.Random(seed)
    for part, count in (("train", frames), ("val", 40)):
        names = sorted(f.name.removesuffix("_ground_truth.png") for f in (source / part).glob("*_ground_truth.png"))
        (folder / part.replace("val", "test")).mkdir()
        for name in chance.sample(names, count):
            for file in (source / part).glob(f"{name}_*"):
                (folder / part.replace("val", "test") / file.name).symlink_to(file.resolve())


def main(frames, seeds, options):
    ways = WAYS[1:] if ":" in frames else ("by uncertainty", "carried") if "x" in frames else WAYS
    sums = {(way, goal): [] for way in ways for goal in (80, 90)}
    for seed in range(1, seeds + 1):
        random.seed(seed)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if ":" in frames:
                source, _, count = frames.rpartition(":")
                draw_frames(folder, Path(source), int(count), seed)
            else:
                generate(folder, frames, seed)
            names = sorted(f.relative_to(folder / "train").as_posix().removesuffix("_ground_truth.png")
                           for f in (folder / "train").rglob("*_ground_truth.png"))  # fmt: skip
            judge = Judge(folder, Teacher(folder / "train", names).colors)
            run("train", "--data", folder / "train", "--device", "cpu", "--backbone", "none", "--out", folder / "whole.fernwood", *QUICK, *judge.ignored)
            whole = judge.accuracy(folder / "whole.fernwood")
            goals = {80: 0.8 * whole, 90: 0.9 * whole}
            for way in ways:
                reached, seconds = strokes_until(folder / way.replace(" ", "_"), folder / "train", judge, goals, way, options)
                for goal in goals:
                    sums[way, goal].append(reached.get(goal, MOST_STROKES))
                print(f"seed {seed}: {way}: {reached} strokes, of {100 * whole:.1f} %, {seconds:.2f} s each", flush=True)
    for goal in (80, 90):
        mean = {way: sum(sums[way, goal]) / seeds for way in ways}
        first, last = ways[0], ways[-1]
        print(f"{goal} %: " + ", ".join(f"{mean[way]:.0f} {way}" for way in ways) +
              f"; {last} {mean[last] / mean[first]:.2f} times as many as {first}")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), ["--backbone", sys.argv[3]] if len(sys.argv) > 3 else [])
