# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Random action sequences in two windows of the page of `fernwood teach`, compared with a model: no stroke is lost or
assigned to another class. Run by scripts/test_page; FERNWOOD_SEQUENCES sets their number."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page_test import PROGRAM, browser_of, status, wait_for

NUM_SEQUENCES = int(os.environ.get("FERNWOOD_SEQUENCES", "8"))
FIRST_SEQUENCE = int(os.environ.get("FERNWOOD_FIRST_SEQUENCE", "0"))
STEPS = 14
COLS, ROWS, CELL = 160, 120, 20  # of a frame, and the size of its places, each of which gets one stroke


class Model:
    """The expected state, computed only from the actions."""

    def __init__(self):
        self.names = {}  # class id -> its name, while it is neither merged nor deleted
        self.gone = []  # (class id, name, id of the class it was merged into, or None), the newest last
        self.strokes = ([], [])  # for each frame: (place, class id, number)
        self.undone = ([], [])
        self.next = 0

    def add(self, name):
        self.next += 1
        self.names[self.next] = name
        return self.next

    def root(self, one):
        into = {gone: target for gone, _, target in self.gone}
        while one in into:
            one = into[one]
        return one  # None: deleted

    def counting(self, strokes):
        return [stroke for stroke in strokes if self.root(stroke[1]) is not None]

    def undo(self, frame):
        left = self.counting(self.strokes[frame])
        if left:
            self.strokes[frame].remove(left[-1])
            self.undone[frame].append(left[-1])

    def redo(self, frame):
        left = self.counting(self.undone[frame])
        if left:
            self.undone[frame].remove(left[-1])
            self.strokes[frame].append(left[-1])
            self.strokes[frame].sort(key=lambda stroke: stroke[2])

    def draw(self, frame, place, one, number):
        self.strokes[frame].append((place, one, number))
        self.undone[frame].clear()

    def expected(self):
        """For each frame, the class name of each place."""
        return [{place: self.names[self.root(one)] for place, one, _ in self.counting(strokes)} for strokes in self.strokes]


class Window:
    """One browser window; its selected class is stored as an id, or None."""

    def __init__(self, url):
        self.browser = browser_of("700,700")
        self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
          const Plain = WebSocket;
          window.WebSocket = class extends Plain { constructor(...words) { super(...words); window.lastSocket = this; } };"""})
        self.url, self.chosen, self.frame = url, None, 0
        self.load()

    def script(self, text, *words):
        return self.browser.execute_script(text, *words)

    def load(self):
        self.browser.get(self.url)
        self.wait_ready()
        self.frame = 0

    def wait_ready(self):
        wait_for(lambda: len(self.browser.find_elements(By.CSS_SELECTOR, "#frames button")) == 2)
        self.wait_image()

    def wait_image(self):
        self.state("window.pageState = m.state")
        wait_for(lambda: self.script("return !!window.pageState.image && !!window.pageState.truth"))

    def state(self, what):
        return self.browser.execute_async_script(f"const done = arguments[0]; import('./state.js').then((m) => done({what}) )")

    def chosen_name(self):
        return self.script("return document.querySelector('#classes [aria-pressed=true] span:nth-child(2)')?.textContent ?? null")

    def names(self):
        return self.script("return [...document.querySelectorAll('#classes .choose span:nth-child(2)')].map((one) => one.textContent)")

    def cut(self):
        """Simulates a broken connection: messages are still received by the server, but its answers are lost."""
        self.script("window.lastSocket.onmessage = null")

    def mend(self):
        time.sleep(0.15)  # the server has received everything
        self.script("window.lastSocket.close()")
        wait_for(lambda: self.script("return window.lastSocket.readyState === 1 && window.lastSocket.onmessage !== null"))
        wait_for(lambda: "not connected" not in status(self.browser))

    def is_answered(self):
        return self.script("return (sessionStorage.getItem(`unanswered${location.search}`) ?? '[]') === '[]'")

    def look(self, frame):
        self.script("document.querySelector(`[data-frame='${arguments[0]}']`).click()", frame)
        self.frame = frame
        self.wait_image()

    def draw(self, place):
        x, y = self.browser.execute_async_script("""
          const [x, y, done] = arguments, canvas = document.getElementById('picture'), box = canvas.getBoundingClientRect();
          import('./view.js').then(({ stepsAt }) => {  // eighths of a pixel
            const [x0, y0] = stepsAt([0, 0]), [x1, y1] = stepsAt([1000, 1000]), k = box.width / canvas.width;
            done([box.left + k * 1000 * (8 * x - x0) / (x1 - x0), box.top + k * 1000 * (8 * y - y0) / (y1 - y0)]);
          })""", *place)  # fmt: skip
        for kind in ("mousePressed", "mouseMoved", "mouseReleased"):
            words = {"type": kind, "x": x + (kind != "mousePressed"), "y": y, "button": "left", "buttons": 1, "clickCount": 1}
            self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", words)

    def type_class(self, name):
        field = self.browser.find_element(By.ID, "class-name")
        field.clear()
        field.send_keys(name + Keys.ENTER)

    def key(self, key, control=False):
        self.script("""document.activeElement.blur();
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], ctrlKey: arguments[1], bubbles: true }))""", key, control)

    def sheet(self, row, name=None, into=None, choice="change"):
        """Changes a class in its dialog and confirms."""
        self.script("document.querySelectorAll('#classes li')[arguments[0]].querySelector('button:last-child').click()", row)
        if name:
            self.script("document.getElementById('changed-name').value = arguments[0]", name)
        if into:
            self.script("""const s = document.getElementById('merge-into');
              s.value = [...s.options].find((one) => one.text === arguments[0]).value""", into)
        self.script("document.querySelector(`#class-sheet button[value=${arguments[0]}]`).click()", choice)
        if into or choice == "delete":
            wait_for(lambda: self.script("return document.getElementById('confirm-sheet').open"))
            self.script("document.getElementById('confirm-yes').click()")


class Sequence:
    def __init__(self, seed, folder, data, windows):
        self.draw_random = random.Random(seed)
        self.model, self.windows, self.done = Model(), windows, []
        self.places = places = [(x, y) for y in range(CELL // 2, ROWS, CELL) for x in range(CELL // 2, COLS, CELL)]
        self.free = [list(places), list(places)]
        self.folder, self.num_strokes, self.num_names = folder, 0, 0

    def events(self):
        return [json.loads(line[17:]) for line in (self.folder / "strokes.journal").read_text().splitlines()[1:]]

    def settled(self):
        """Waits until both windows list all expected classes."""
        names = list(self.model.names.values())
        wait_for(lambda: all(sorted(window.names()) == sorted(names) for window in self.windows))

    def after(self, change):
        count = len(self.events())
        change()
        wait_for(lambda: len(self.events()) > count)
        self.settled()

    def step(self):
        window = self.draw_random.choice(self.windows)
        names = list(self.model.names)
        what = self.draw_random.choices(
            ["add", "draw", "choose", "rename", "merge", "delete", "undo", "redo", "restore", "reload", "look", "cut"],
            [14, 26, 10, 6, 6, 5, 8, 6, 6, 5, 4, 4])[0]  # fmt: skip
        self.done.append((self.windows.index(window), what))
        if what == "add":
            self.add(window)
        elif what == "draw":
            self.stroke(window)
        elif what == "choose" and names:
            row = self.draw_random.randrange(len(names))
            name = window.names()[row]
            window.key(str(row + 1)) if row < 9 else None
            if row < 9:
                window.chosen = next(one for one in names if self.model.names[one] == name)
        elif what == "rename" and names:
            one = self.draw_random.choice(names)
            row, name = window.names().index(self.model.names[one]), self.new_name()
            self.model.names[one] = name
            self.after(lambda: window.sheet(row, name=name))
        elif what == "merge" and len(names) > 1:
            one, into = self.draw_random.sample(names, 2)
            row, target = window.names().index(self.model.names[one]), self.model.names[into]
            self.model.gone.append((one, self.model.names.pop(one), into))
            self.after(lambda: window.sheet(row, into=target))
            self.follow()
        elif what == "delete" and names:
            one = self.draw_random.choice(names)
            row = window.names().index(self.model.names[one])
            self.model.gone.append((one, self.model.names.pop(one), None))
            self.after(lambda: window.sheet(row, choice="delete"))
            self.follow()
        elif what == "restore" and self.model.gone:
            one, name, _ = entry = self.draw_random.choice(self.model.gone)
            self.model.gone.remove(entry)
            self.model.names[one] = name
            self.after(lambda: window.script(
                "[...document.querySelectorAll('#gone-classes button')].find((one) => one.title === `Restore ${arguments[0]}`).click()", name))  # fmt: skip
        elif what in ("undo", "redo"):
            self.take_back(window, what)
        elif what == "reload":
            window.load()
            if window.chosen is None and names:
                window.chosen = min(names)  # the first, so that the choice is deterministic
        elif what == "look":
            window.look(1 - window.frame)
        elif what == "cut":
            window.cut()
            if names and window.chosen:
                self.stroke(window)
            self.type_and_draw(window)
            window.mend()
            window.wait_ready()
            self.settled()
        for one in self.windows:
            wait_for(one.is_answered)

    def follow(self):
        for window in self.windows:
            if window.chosen is not None:
                window.chosen = self.model.root(window.chosen)

    def new_name(self):
        self.num_names += 1
        return f"class {self.num_names}"

    def add(self, window):
        if self.model.names and self.draw_random.random() < 0.25:  # a name in use: nothing changes
            name = self.draw_random.choice(list(self.model.names.values()))
            window.type_class(name)
            assert window.browser.find_element(By.ID, "class-name").get_attribute("value") == name, "what was typed is kept"
            window.browser.find_element(By.ID, "class-name").clear()
            return
        self.type_and_draw(window)
        self.settled()

    def type_and_draw(self, window):
        """Adds a class and draws before the answer arrives."""
        name = self.new_name()
        window.chosen = self.model.add(name)
        window.type_class(name)
        self.stroke(window)

    def stroke(self, window):
        if not self.free[window.frame]:
            return
        place = self.free[window.frame].pop(self.draw_random.randrange(len(self.free[window.frame])))
        count = len([event for event in self.events() if "stroke" in event])
        window.draw(place)
        if window.chosen is None:
            return  # refused
        self.num_strokes += 1
        self.model.draw(window.frame, place, window.chosen, self.num_strokes)
        wait_for(lambda: len([event for event in self.events() if "stroke" in event]) > count)

    def take_back(self, window, what):
        strokes = self.model.strokes if what == "undo" else self.model.undone
        has = bool(self.model.counting(strokes[window.frame]))
        getattr(self.model, what)(window.frame)
        change = lambda: window.key("z" if what == "undo" else "y", control=True)  # noqa: E731
        self.after(change) if has else change()

    def check(self):
        """The number of strokes that the program does not show at the expected place, over all frames."""
        window, wrong = self.windows[0], 0
        classes = {tuple(one["color"]): one["name"] for one in window.state("m.state.classes")}
        counts = [frame["strokes"] for frame in window.state("m.state.frames")]
        for frame, expected in enumerate(self.model.expected()):
            places = self.places
            colors = window.browser.execute_async_script("""
              const [frame, places, done] = arguments, picture = new Image();
              picture.onload = () => {
                const c = document.createElement('canvas');
                [c.width, c.height] = [picture.width, picture.height];
                c.getContext('2d').drawImage(picture, 0, 0);
                done(places.map(([x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)));
              };
              picture.src = `frames/${frame}/truth?${Math.random()}`;""", frame, [list(place) for place in places])  # fmt: skip
            for place, color in zip(places, colors):
                wrong += classes.get(tuple(color)) != expected.get(place)
            wait_for(lambda f=frame: window.state("m.state.frames")[f]["strokes"] == len(self.model.counting(self.model.strokes[f])))
        assert len(counts) == 2
        return wrong


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rooms = tmp_path_factory.mktemp("rooms")
    words = ["--out", rooms, "--frames", "2", "--test-frames", "0", "--size", f"{COLS}x{ROWS}"]
    subprocess.run([PROGRAM, "dataset", "generate", *words], check=True, capture_output=True)
    return rooms / "train"


def test_random_sequences_lose_no_stroke(data, tmp_path):
    lost, num_strokes, windows = 0, 0, []
    try:
        for seed in range(FIRST_SEQUENCE, FIRST_SEQUENCE + NUM_SEQUENCES):
            folder = tmp_path / f"taught{seed}"
            words = ["teach", "--out", folder, "--data", data, "--device", "cpu", "--preset", "fast", "--threads", "1", "--no-browser"]
            program = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, text=True)
            try:
                url = re.search(r"http://\S+", program.stdout.readline())[0]
                if not windows:
                    windows = [Window(url), Window(url)]
                for window in windows:
                    window.url, window.chosen = url, None
                    window.load()
                sequence = Sequence(seed, folder, data, windows)
                for _ in range(STEPS):
                    sequence.step()
                wrong = sequence.check()
                assert wrong == 0, f"sequence {seed}: {sequence.done}"
                lost += wrong
                num_strokes += sequence.num_strokes
            except BaseException:
                print(f"sequence {seed}: {sequence.done if 'sequence' in locals() else ''}")
                raise
            finally:
                program.send_signal(signal.SIGINT)
                assert program.wait(timeout=20) == 0
            shutil.rmtree(folder)
            print(f"sequence {seed}: {sequence.num_strokes} strokes", flush=True)
    finally:
        for window in windows:
            window.browser.quit()
    print(f"{NUM_SEQUENCES} sequences, {num_strokes} strokes: {lost} lost or given to another class")
