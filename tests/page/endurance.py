#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Drives a project's server as a page does, and checks that nothing is lost. Run by scripts/test_teaching.

  kills N     kills the program N times at random moments while strokes are drawn, then counts the strokes
  strokes N   draws N strokes and reports the program's memory and the time that reopening the project takes
  latency N   N generated frames of 640 x 480, 180 strokes of six classes drawn from their ground truth, then 20 more:
              reports the time until the frame in view has new labels, and until all frames have; words after N are
              passed to the program
  screen N    the same, until a browser on the same machine shows the labels
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import websocket
from PIL import Image

KB_OF_A_STROKE = 1
PROGRAM = os.environ["FERNWOOD_PROGRAM"]


class Taught:
    """A program that serves a project, with a socket connected to it."""

    def __init__(self, folder, data, *more):
        words = [PROGRAM, "teach", "--out", folder, "--data", data, "--preset", "fast", "--no-browser", *more]
        start = time.monotonic()
        self.program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.host, self.token = re.search(r"http://([^/]+)/(\w+)/", self.program.stdout.readline()).groups()
        address = f"ws://{self.host}/{self.token}/socket"
        self.socket = websocket.create_connection(address, origin=f"http://{self.host}", timeout=30)
        self.project = self._hear("project")["project"]
        self.seconds_to_open = time.monotonic() - start
        self.last_id = 0

    def hear(self):
        return json.loads(self.socket.recv())

    def _hear(self, key):
        while key not in (message := self.hear()):
            pass
        return message

    def says(self, **message):
        self.last_id += 1
        self.socket.send(json.dumps(message | {"id": self.last_id}))
        while (answer := self._hear("id"))["id"] != self.last_id:
            pass
        return answer

    def draws(self, frame, number):
        points = [random.randrange(0, 8 * 64), random.randrange(0, 8 * 48)]
        return self.says(do="stroke", frame=frame, **{"class": number}, brush=24, points=points)["stroke"]

    def resident_mb(self):
        status = Path(f"/proc/{self.program.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def kill(self):
        self.program.kill()
        self.program.wait()


def generated(folder, frames=4, size="64x48"):
    words = [PROGRAM, "dataset", "generate", "--out", folder, "--frames", str(frames), "--test-frames", "0", "--size", size]
    subprocess.run(words, check=True, capture_output=True)
    return folder / "train"


def strokes_in(journal):
    found = (json.loads(line[17:]) for line in journal.read_text().splitlines()[1:])
    return {event["stroke"] for event in found if "stroke" in event}


def kills(count, folder):
    data, project, answered = generated(folder / "rooms"), folder / "taught", set()
    for round_ in range(count):
        taught = Taught(project, data)
        if round_ == 0:
            for number, name in enumerate(("floor", "wall")):
                taught.says(do="add_class", name=name, color=[10 + number, 20, 30])
        timer = threading.Timer(random.uniform(0, 0.4), taught.kill)
        timer.start()
        try:
            while True:
                answered.add(taught.draws(random.randrange(4), random.randrange(2)))
        except (OSError, ValueError, websocket.WebSocketException):
            timer.join()
    taught = Taught(project, data)
    lost = answered - strokes_in(project / "strokes.journal")
    taught.kill()
    print(f"{count} kills, {len(answered)} strokes answered, {len(lost)} lost")
    return not lost and len(answered) > count


def strokes(count, folder):
    data, project = generated(folder / "rooms"), folder / "taught"
    taught = Taught(project, data)
    for number, name in enumerate(("floor", "wall")):
        taught.says(do="add_class", name=name, color=[10 + number, 20, 30])
    start, held = time.monotonic(), []
    for stroke in range(count):
        taught.draws(random.randrange(4), random.randrange(2))
        if (stroke + 1) % (count // 10) == 0:
            held.append(taught.resident_mb())
    seconds = time.monotonic() - start
    taught.kill()
    again = Taught(project, data)
    found = sum(frame["strokes"] for frame in again.project["frames"])
    again.kill()
    print(f"{count} strokes in {seconds:.0f} s; resident, a tenth after the other: {', '.join(f'{mb:.0f}' for mb in held)} MB")
    print(f"opened again in {again.seconds_to_open:.2f} s with {found} strokes")
    # Each stroke itself takes some hundred bytes, and the number of strokes is unlimited.
    return found == count and again.seconds_to_open < 2 and held[-1] - held[0] < count * KB_OF_A_STROKE / 1024


class Teacher:
    """Draws short strokes, each within one object of a frame's ground truth, of the six classes with the most
    pixels."""

    def __init__(self, data, names):
        self.truths = [Image.open(data / f"{name}_ground_truth.png").convert("RGB") for name in names]
        counts = {}
        for truth in self.truths:
            for count, color in truth.getcolors(1 << 16):
                counts[color] = counts.get(color, 0) + count
        counts.pop((0, 0, 0), None)
        self.colors = sorted(counts, key=counts.get, reverse=True)[:6]

    def stroke(self, frame):
        truth = self.truths[frame]
        while (color := truth.getpixel(place := (random.randrange(truth.width), random.randrange(truth.height)))) not in self.colors:
            pass
        points = []
        for x in range(place[0], min(truth.width, place[0] + 20), 2):
            if truth.getpixel((x, place[1])) != color:
                break
            points += [8 * x + 4, 8 * place[1] + 4]
        return {"do": "stroke", "frame": frame, "class": self.colors.index(color), "brush": 32, "points": points}


def labelled(taught, stroke, frames):
    """Seconds until the frame in view, and then `frames` frames, have labels that include the stroke."""
    taught.last_id += 1
    start, version, found = time.monotonic(), None, set()
    taught.socket.send(json.dumps(stroke | {"id": taught.last_id}))
    while len(found) < frames:
        message = taught.hear()
        if message.get("truth") == stroke["frame"]:
            version = message["version"]
        if "labels" in message and message["of"] == version:
            found.add(message["labels"])
    return time.monotonic() - start


def latency(count, folder):
    data = generated(folder / "rooms", count, "640x480")
    taught = Taught(folder / "taught", data, *sys.argv[3:])
    teacher = Teacher(data, [frame["name"] for frame in taught.project["frames"]])
    for number, color in enumerate(teacher.colors):
        taught.says(do="add_class", name=f"class {number}", color=list(color))
    for stroke in range(180):
        taught.says(**teacher.stroke(stroke % count))
    taught.says(do="view", frame=3)
    seconds = []
    for _ in range(20):
        seconds.append(labelled(taught, teacher.stroke(3), 1))
        time.sleep(0.3)
    everything = labelled(taught, teacher.stroke(3), count)
    taught.kill()
    seconds.sort()
    print(f"{count} frames: labels of the frame in view in {1000 * seconds[10]:.0f} ms, 95 % in {1000 * seconds[18]:.0f}; "
          f"of all frames in {everything:.2f} s")  # fmt: skip
    return True


ON_SCREEN = """
const done = arguments[0];
import('./state.js').then(({ state }) => {
  const start = performance.now(), before = state.labels;
  const look = () => state.labels !== before && state.labels ? requestAnimationFrame(() => done(performance.now() - start))
                                                              : requestAnimationFrame(look);
  look();
});
"""


def screen(count, folder):
    from teach_page_test import browser_of

    data = generated(folder / "rooms", count, "640x480")
    taught = Taught(folder / "taught", data, *sys.argv[3:])
    teacher = Teacher(data, [frame["name"] for frame in taught.project["frames"]])
    for number, color in enumerate(teacher.colors):
        taught.says(do="add_class", name=f"class {number}", color=list(color))
    for stroke in range(180):
        taught.says(**teacher.stroke(stroke % count))
    browser, milliseconds = browser_of("1400,900"), []
    browser.set_script_timeout(30)
    browser.get(f"http://{taught.host}/{taught.token}/")
    time.sleep(5)
    for _ in range(20):
        taught.socket.send(json.dumps(teacher.stroke(0) | {"id": 1}))  # sent when the pointer is released
        milliseconds.append(browser.execute_async_script(ON_SCREEN))
        time.sleep(1)
    browser.quit()
    taught.kill()
    milliseconds.sort()
    print(f"{count} frames: new labels on the screen in {milliseconds[10]:.0f} ms, 95 % in {milliseconds[18]:.0f}")
    return True


if __name__ == "__main__":
    random.seed(4711)
    with tempfile.TemporaryDirectory() as place:
        modes = {"kills": kills, "strokes": strokes, "latency": latency, "screen": screen}
        sys.exit(0 if modes[sys.argv[1]](int(sys.argv[2]), Path(place)) else 1)
