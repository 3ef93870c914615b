# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the page of `fernwood teach` in a browser that draws on it. Run by scripts/test_page, which passes the
program."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.command import Command
from selenium.webdriver.support.ui import Select

PROGRAM = os.environ["FERNWOOD_PROGRAM"]


class Taught:
    """A project that is served by a separate program."""

    options = []

    def __init__(self, folder, frames=4, size="640x480"):
        self.folder = folder
        rooms = folder.parent / "rooms"
        words = ["--out", rooms, "--frames", str(frames), "--test-frames", "0", "--size", size]
        subprocess.run([PROGRAM, "dataset", "generate", *words], check=True, capture_output=True)
        self.data = rooms / "train"
        self.start()

    def start(self, *source):
        words = ["teach", "--out", self.folder, "--device", "cpu", "--preset", "fast", "--no-browser", *self.options]
        self.program = subprocess.Popen([PROGRAM, *words, *(source or ("--data", self.data))], stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.program.stdout.readline())[0]

    def kill(self):
        self.program.kill()
        self.program.wait()

    def events(self):
        """Contents of the journal, without its title."""
        return [json.loads(line[17:]) for line in (self.folder / "strokes.journal").read_text().splitlines()[1:]]

    def strokes(self):
        return [event for event in self.events() if "stroke" in event]


@pytest.fixture
def taught(tmp_path):
    project = Taught(tmp_path / "taught")
    yield project
    if project.program.poll() is None:
        project.program.send_signal(signal.SIGINT)
        assert project.program.wait(timeout=20) == 0


def browser_of(size):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={size}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


@pytest.fixture
def browser():
    driver = browser_of("1400,900")
    yield driver
    driver.quit()


def wait_for(is_so, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


def status(browser):
    return browser.find_element(By.ID, "status").text


def opened(browser, taught):
    browser.get(taught.url)
    wait_for(lambda: status(browser) == "4 frames")
    picture = browser.find_element(By.ID, "picture")
    wait_for(lambda: browser.execute_script(
        "const c = arguments[0]; return c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data[3] > 0", picture))  # fmt: skip
    return picture


def add_class(browser, name):
    browser.find_element(By.ID, "class-name").send_keys(name + Keys.ENTER)
    wait_for(lambda: name in browser.find_element(By.ID, "classes").text)


def draw(browser, picture, *points):
    chain = ActionChains(browser, duration=20).move_to_element_with_offset(picture, *points[0]).click_and_hold()
    for point in points[1:]:
        chain = chain.move_to_element_with_offset(picture, *point)
    chain.release().perform()


def press(browser, *keys):
    browser.execute_script("document.activeElement.blur()")
    ActionChains(browser).send_keys(*keys).perform()


def with_control(browser, key):
    browser.execute_script("document.activeElement.blur()")
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()


def test_draws_learns_and_takes_back(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    add_class(browser, "wall")
    press(browser, "1")
    draw(browser, picture, (-200, 250), (0, 255), (200, 250))
    press(browser, "2")
    draw(browser, picture, (-200, -200), (200, -200))
    wait_for(lambda: len(taught.strokes()) == 2)
    assert [stroke["class"] for stroke in taught.strokes()] == [0, 1]
    wait_for(lambda: status(browser) == "Model updated and refined")
    with_control(browser, "z")
    wait_for(lambda: taught.events()[-1].get("undo") == 2)
    with_control(browser, "y")
    wait_for(lambda: taught.events()[-1].get("redo") == 2)
    press(browser, "e")
    draw(browser, picture, (0, 250))
    wait_for(lambda: taught.strokes()[-1]["class"] is None)
    press(browser, "p")
    for corner in ((100, 0), (150, 0), (150, 60)):
        draw(browser, picture, corner)
    press(browser, Keys.ENTER)
    wait_for(lambda: "polygon" in taught.strokes()[-1])
    for corner in ((-100, 0), (-150, 0), (-150, 60), (-101, 1)):
        draw(browser, picture, corner)
    wait_for(lambda: len(taught.strokes()) == 5)
    assert len(taught.strokes()[-1]["polygon"]) == 6
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_objects_are_outlined_and_cut(browser, taught):
    picture = opened(browser, taught)
    text = browser.find_element(By.ID, "objects-text")
    num_objects = lambda: int((re.search(r"(\d+) chair", text.text) or [0, 0])[1])  # noqa: E731
    add_class(browser, "chair")
    press(browser, "1", "o")
    assert browser.find_element(By.ID, "objects").is_selected()
    draw(browser, picture, (-150, 250), (150, 250))
    wait_for(lambda: num_objects() > 0)
    before = num_objects()
    press(browser, "i")
    draw(browser, picture, (0, 200), (0, 300))
    wait_for(lambda: "cut" in taught.events()[-1])
    wait_for(lambda: num_objects() == before + 1)
    with_control(browser, "z")
    wait_for(lambda: num_objects() == before)
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_fills_tells_why_and_what_to_teach_next(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    add_class(browser, "wall")
    press(browser, "1", "f")
    draw(browser, picture, (0, 250))
    wait_for(lambda: len(taught.strokes()) == 1)
    assert "region" in taught.strokes()[0]
    validation = browser.find_element(By.ID, "validation")
    for frame in range(3):
        press(browser, "1")
        draw(browser, picture, (0, 250))
        press(browser, "2", "b")
        draw(browser, picture, (-200, -200), (200, -200))
        wait_for(lambda: status(browser).startswith("Model updated"), 60)
        assert "class mean" not in validation.text and ("at least 3 frames" in validation.text) == (frame < 2)
        press(browser, Keys.ARROW_RIGHT, "f")
    press(browser, Keys.ARROW_LEFT)
    wait_for(lambda: "class mean" in validation.text, 60)
    next_frame = browser.find_element(By.ID, "next")
    wait_for(next_frame.is_enabled)
    press(browser, "n")
    current = browser.find_element(By.CSS_SELECTOR, "#frames [aria-current=true]")
    assert current.get_attribute("data-frame") != "2"
    press(browser, "u", "w")
    draw(browser, picture, (0, 100))
    wait_for(lambda: browser.find_element(By.ID, "why").is_displayed())
    assert "pixel " in browser.find_element(By.ID, "why-text").text
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_a_slow_network_and_a_small_screen_lose_nothing(browser, taught):
    browser.set_window_size(500, 800)
    picture = opened(browser, taught)
    add_class(browser, "floor")
    browser.set_network_conditions(latency=400, throughput=200 * 1024)
    for row in range(5):
        draw(browser, picture, (-60, 20 * row), (60, 20 * row))
    add_class(browser, "wall")
    draw(browser, picture, (-60, -60), (60, -60))
    wait_for(lambda: len(taught.strokes()) == 6)
    assert [stroke["class"] for stroke in taught.strokes()] == [0] * 5 + [1]
    wait_for(lambda: status(browser).startswith("Model updated"), 60)


def test_nothing_is_lost_when_the_program_is_killed(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    press(browser, "1")
    draw(browser, picture, (-100, 200), (100, 200))
    wait_for(lambda: len(taught.strokes()) == 1)
    taught.kill()
    wait_for(lambda: status(browser).startswith("not connected"))
    draw(browser, picture, (-100, 100), (100, 100))
    taught.start()
    wait_for(lambda: len(taught.strokes()) == 2)
    wait_for(lambda: status(browser).startswith("one class is drawn"))


def test_a_page_of_a_fixed_port_comes_back_and_another_projects_is_told_apart(browser, taught, tmp_path):
    port = re.search(r":(\d+)/", taught.url)[1]
    taught.kill()
    taught.options = ["--port", port]
    taught.start()
    picture = opened(browser, taught)
    add_class(browser, "floor")
    taught.kill()
    wait_for(lambda: status(browser).startswith("not connected"))
    draw(browser, picture, (-100, 100), (100, 100))
    other = Taught.__new__(Taught)
    other.folder, other.data, other.options = tmp_path / "other", taught.data, taught.options
    other.start()
    wait_for(lambda: "open the address that it printed" in status(browser))
    other.kill()
    taught.start()
    wait_for(lambda: len(taught.strokes()) == 1)
    assert not other.strokes()


def test_a_gesture_on_the_picture_is_a_stroke_whatever_is_selected(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    with_control(browser, "a")
    draw(browser, picture, (-100, 100), (100, 100))
    browser.execute_script("getSelection().selectAllChildren(document.body)")
    draw(browser, picture, (-100, 120), (100, 120))
    title = browser.find_element(By.ID, "title")
    ActionChains(browser, duration=20).move_to_element(title).click_and_hold().move_to_element(picture).release().perform()
    draw(browser, picture, (-100, 140), (100, 140))
    wait_for(lambda: len(taught.strokes()) == 3)


def test_names_of_the_data_are_offered_with_their_colours(browser, taught):
    opened(browser, taught)
    def offered():
        return [option.get_attribute("value") for option in browser.find_elements(By.CSS_SELECTOR, "#class-names option")]

    names = offered()
    assert len(names) == 9 and "floor" in names
    add_class(browser, "sofa of ours")
    add_class(browser, names[8])
    wait_for(lambda: names[8] not in offered())
    text = (taught.data.parent / "dataset.toml").read_text()
    color = [int(value) for value in re.findall(r"^color = \[(.*)\]$", text, re.M)[8].split(",")]
    assert [event["color"] for event in taught.events() if event.get("name") == names[8]] == [color]


def test_ink_follows_the_pointer(browser, taught):
    """During training: the time from a pointer's movement to the displayed frame with its ink."""
    picture = opened(browser, taught)
    for name in ("floor", "wall"):
        add_class(browser, name)
    browser.execute_script("""
      window.lags = [];
      arguments[0].addEventListener('pointermove', (event) =>  // after the page's own, which has drawn
        requestAnimationFrame(() => window.lags.push(performance.now() - event.timeStamp)))""", picture)
    box = picture.rect
    left, top = box["x"] + box["width"] / 2 - 200, box["y"] + box["height"] / 2

    def mouse(kind, x, y):
        words = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", words)

    for stroke in range(4):
        press(browser, "1" if stroke % 2 == 0 else "2")
        mouse("mousePressed", left, top + 40 * stroke)
        for step in range(40):
            mouse("mouseMoved", left + 10 * step, top + 40 * stroke)
            time.sleep(1 / 60)
        mouse("mouseReleased", left + 400, top + 40 * stroke)
    wait_for(lambda: len(taught.strokes()) == 4)
    lags = sorted(browser.execute_script("return window.lags"))
    assert len(lags) > 100
    print(f"pointer to ink: median {lags[len(lags) // 2]:.1f} ms, 95 % in {lags[len(lags) * 95 // 100]:.1f} ms of {len(lags)}")
    # One frame of 16.7 ms on an idle machine; the limit allows for other tests on the same machine.
    assert lags[len(lags) // 2] < 50


def touch(browser, picture, *fingers):
    """Touches the picture; each finger is a list of places relative to its centre."""
    builder = ActionBuilder(browser, duration=50)
    pointers = [builder.add_pointer_input(interaction.POINTER_TOUCH, f"finger{i}") for i in range(len(fingers))]
    for pointer, places in zip(pointers, fingers):
        pointer.create_pointer_move(origin=picture, x=places[0][0], y=places[0][1], duration=0)
        pointer.create_pointer_down(button=0)
        for x, y in places[1:]:
            pointer.create_pointer_move(origin=picture, x=x, y=y, duration=100)
        pointer.create_pointer_up(button=0)
    browser.execute(Command.W3C_ACTIONS, {"actions": [pointer.encode() for pointer in pointers]})


def test_one_finger_draws_and_two_zoom(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    touch(browser, picture, [(-100, 200), (100, 200)])
    wait_for(lambda: len(taught.strokes()) == 1)
    corner = "return document.getElementById('picture').getContext('2d').getImageData(5, 5, 1, 1).data[3]"
    assert browser.execute_script(corner) == 0
    touch(browser, picture, [(-50, 0), (-400, -200)], [(50, 0), (400, 200)])
    wait_for(lambda: browser.execute_script(corner) > 0)
    assert len(taught.strokes()) == 1
    press(browser, "0")
    wait_for(lambda: browser.execute_script(corner) == 0)


def test_classes_are_renamed_and_merged(browser, taught):
    picture = opened(browser, taught)
    for name in ("floor", "wall", "wardrobe"):
        add_class(browser, name)
    press(browser, "s", "3")
    draw(browser, picture, (-300, -150))  # in the first of two panes
    wait_for(lambda: len(taught.strokes()) == 1)
    change = "#classes li:nth-child(3) button:last-child"
    browser.find_element(By.CSS_SELECTOR, change).click()
    name = browser.find_element(By.ID, "changed-name")
    name.clear()
    name.send_keys("shelf" + Keys.ENTER)
    wait_for(lambda: "shelf" in browser.find_element(By.ID, "classes").text)
    browser.find_element(By.CSS_SELECTOR, change).click()
    Select(browser.find_element(By.ID, "merge-into")).select_by_visible_text("wall")
    browser.find_element(By.CSS_SELECTOR, "#class-sheet button").click()
    wait_for(lambda: browser.find_element(By.ID, "confirm-sheet").is_displayed())
    assert browser.find_element(By.ID, "confirm-text").text == "Merge shelf (1 stroke on 1 frame) into wall?"
    assert "merge" not in taught.events()[-1]
    browser.find_element(By.ID, "confirm-yes").click()
    wait_for(lambda: taught.events()[-1].get("merge") == 2 and taught.events()[-1]["into"] == 1)
    wait_for(lambda: "shelf" not in browser.find_element(By.ID, "classes").text)
    back = browser.find_element(By.ID, "class-offer")
    back.find_element(By.TAG_NAME, "button").click()
    wait_for(lambda: taught.events()[-1].get("restore") == 2)
    wait_for(lambda: back.text == "shelf is back. Redo")
    back.find_element(By.TAG_NAME, "button").click()
    wait_for(lambda: taught.events()[-1].get("merge") == 2)


def test_frames_are_kept_of_a_recording_and_labels_go_out(browser, taught, tmp_path):
    taught.program.send_signal(signal.SIGINT)
    assert taught.program.wait(timeout=20) == 0
    watched = Taught.__new__(Taught)
    watched.folder, watched.data = tmp_path / "watched", taught.data
    watched.start("--source", f"frames:{taught.data}")
    try:
        browser.get(watched.url)
        wait_for(lambda: status(browser).startswith("the camera"))
        picture = browser.find_element(By.ID, "picture")
        middle = "const c = arguments[0]; return c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data[3] > 0"
        wait_for(lambda: browser.execute_script(middle, picture))
        def is_watching():
            return browser.find_element(By.ID, "watch").get_attribute("aria-pressed") == "true"

        for count in (1, 2):
            if count > 1:
                press(browser, "c")
            wait_for(is_watching)
            press(browser, "k")
            wait_for(lambda: len(browser.find_elements(By.CSS_SELECTOR, "#frames button")) == count and not is_watching())
        assert len([event for event in watched.events() if "frame" in event]) == 2
        add_class(browser, "floor")
        press(browser, "1")
        draw(browser, picture, (-100, 200), (100, 200))
        wait_for(lambda: len(watched.strokes()) == 1)
        browser.find_element(By.ID, "export").click()
        coco = browser.execute_async_script("fetch('export/coco').then((a) => a.json()).then(arguments[0])")
        assert [one["name"] for one in coco["categories"]] == ["floor"] and len(coco["annotations"]) == 1
        command = browser.find_element(By.ID, "train-command").text
        assert command.startswith(f"fernwood train --data {watched.folder}")
        assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    finally:
        watched.program.send_signal(signal.SIGINT)
        assert watched.program.wait(timeout=20) == 0


def test_everything_has_a_name(browser, taught):
    opened(browser, taught)
    add_class(browser, "floor")
    nameless = browser.execute_script("""
      return [...document.querySelectorAll('button, input, canvas')].filter((one) =>
        !one.textContent.trim() && !one.ariaLabel && !one.closest('label')).map((one) => one.outerHTML)""")
    assert nameless == []
