# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests labels carried along a recording, on the page of `fernwood teach`. Run by scripts/test_page."""

import json
import signal
import subprocess

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_features_test import of_id, pixel, plain_pixel, set_slider
from teach_page_test import PROGRAM, Taught, add_class, browser, draw, opened, press, wait_for

__all__ = ["browser"]  # a fixture


@pytest.fixture
def recording(tmp_path):
    """A project with the recording of a camera's path through a room, with poses."""
    project = Taught.__new__(Taught)
    project.folder, rooms = tmp_path / "taught", tmp_path / "rooms"
    words = ["--out", rooms, "--frames", "1", "--test-frames", "0", "--sequence", "4", "--size", "320x240", "--seed", "3"]
    subprocess.run([PROGRAM, "dataset", "generate", *words], check=True, capture_output=True)
    project.data = rooms / "train"
    project.start()
    yield project
    if project.program.poll() is None:
        project.program.send_signal(signal.SIGINT)
        assert project.program.wait(timeout=20) == 0


def tiles(browser):
    return [tile.get_attribute("data-carried") or "" for tile in browser.find_elements(By.CSS_SELECTOR, "#frames button")]


def with_shift(browser, key):
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()


def test_what_is_drawn_once_shows_on_all_frames_that_see_it(browser, recording):
    picture = opened(browser, recording)
    for key, name, y in (("1", "one", 150), ("2", "two", -150)):
        add_class(browser, name)
        press(browser, key)
        draw(browser, picture, (-200, y), (0, y), (200, y))
    assert not any("%" in text for text in tiles(browser)) and not of_id(browser, "carry-count").is_displayed()
    press(browser, "l")
    wait_for(lambda: sum("%" in text for text in tiles(browser)) == 3)
    wait_for(lambda: of_id(browser, "carry-count").text.startswith("carried from 1 to "))
    assert of_id(browser, "carry").is_selected()
    poses = [event for event in recording.events() if "pose" in event]
    assert len(poses) == 4 and len({event["room"] for event in poses}) == 1
    assert [event for event in recording.events() if "carry" in event] == [{"carry": None, "is_carried": True}]

    set_slider(browser, "blend", 0)  # shows only drawn and carried labels
    press(browser, Keys.ARROW_RIGHT)
    wait_for(lambda: browser.execute_async_script("const done = arguments[0]; import('./state.js').then((m) => done(!!m.state.carried))"))
    places = [(x, y) for x in range(-250, 250, 25) for y in range(-250, 250, 10)]
    assert any(pixel(browser, picture, *place) != plain_pixel(browser, picture, *place) for place in places[::7]), "hatched"

    count = of_id(browser, "carry-count").text
    press(browser, Keys.ARROW_LEFT)
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    wait_for(lambda: of_id(browser, "carry-count").text != count)
    press(browser, "l")  # one undo removes all of them
    wait_for(lambda: not any("%" in text for text in tiles(browser)))
    assert not of_id(browser, "carry").is_selected()


def test_one_frame_alone_is_carried(browser, recording):
    picture = opened(browser, recording)
    for key, name, y in (("1", "one", 150), ("2", "two", -150)):
        add_class(browser, name)
        press(browser, key)
        draw(browser, picture, (-200, y), (0, y), (200, y))
    with_shift(browser, "l")
    wait_for(lambda: sum("%" in text for text in tiles(browser)) == 3)
    assert not of_id(browser, "carry").is_selected() and of_id(browser, "carry").get_property("indeterminate")
    assert json.loads(json.dumps(recording.events()[-1]))["carry"] == 0
    browser.refresh()
    wait_for(lambda: sum("%" in text for text in tiles(browser)) == 3)
    with_shift(browser, "l")
    wait_for(lambda: not any("%" in text for text in tiles(browser)))
