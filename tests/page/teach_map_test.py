# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the map of labels on the page of `fernwood teach`. Run by scripts/test_page."""

import re

import pytest
from live_page_test import browser_with
from teach_carrying_test import recording
from teach_features_test import of_id
from teach_page_test import add_class, draw, opened, press, status, taught, wait_for

__all__ = ["recording", "taught"]  # fixtures


@pytest.fixture
def webgl():
    driver = browser_with("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-prefers-reduced-motion")
    yield driver
    driver.quit()


def share(browser):
    found = re.match(r"(?:< )?(\d+) %", of_id(browser, "map-share").text)
    return found and int(found[1])


def legend(browser):
    """Read in a single script, because each new map replaces the lines."""
    return browser.execute_script("return [...document.querySelectorAll('#map-classes li')].map((line) => line.textContent.trim())")


def problems(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_map_shows_what_is_labelled_and_follows_what_is_drawn(webgl, recording):
    browser, picture = webgl, opened(webgl, recording)
    assert not of_id(browser, "map-panel").is_displayed()
    press(browser, "v")
    wait_for(lambda: share(browser) == 0)
    assert legend(browser) == ["not labelled 100 %"]
    assert re.match(r"\d{4,} voxels of 4 frames$", of_id(browser, "map-news").text)
    canvas = of_id(browser, "map-view")
    bare = canvas.screenshot_as_png
    assert len(bare) > 3000, "something is drawn"

    for key, name, y in (("1", "one", 150), ("2", "two", -150)):
        add_class(browser, name)
        press(browser, key)
        draw(browser, picture, (-150, y), (0, y), (150, y))
    wait_for(lambda: len(legend(browser)) == 3)
    wait_for(lambda: canvas.screenshot_as_png != bare)
    assert re.match(r"one (< )?\d+ %", legend(browser)[0]) and legend(browser)[2].startswith("not labelled")
    drawn = legend(browser)
    press(browser, "l")
    wait_for(lambda: legend(browser) != drawn)

    whole = len(canvas.screenshot_as_png)
    browser.execute_script("[...document.querySelectorAll('#map-classes input')].at(-1).click()")  # unlabelled
    wait_for(lambda: len(canvas.screenshot_as_png) < whole / 2)
    strokes = len(recording.strokes())
    canvas.send_keys(" ")  # the key turns the map and does not reach the frame
    canvas.send_keys(" ")
    canvas.send_keys("v")
    assert not canvas.is_displayed() and of_id(browser, "show-map").get_attribute("aria-pressed") == "false"
    assert len(recording.strokes()) == strokes
    of_id(browser, "show-map").click()
    wait_for(canvas.is_displayed)
    assert not problems(browser)


def test_on_a_telephone_the_map_takes_the_place_of_the_frame(webgl, recording):
    browser = webgl
    browser.set_window_size(500, 900)  # the minimum width of Chromium
    opened(browser, recording)
    of_id(browser, "show-map").click()
    wait_for(lambda: share(browser) == 0)
    canvas = of_id(browser, "map-view")
    assert not of_id(browser, "picture").is_displayed()
    assert canvas.rect["width"] > 400 and browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert len(canvas.screenshot_as_png) > 3000
    of_id(browser, "show-map").click()
    assert of_id(browser, "picture").is_displayed()


def test_without_poses_the_page_says_what_is_missing(webgl, taught):
    opened(webgl, taught)
    press(webgl, "v")
    wait_for(lambda: status(webgl).startswith("The map needs the camera's poses"))
    assert "--poses FILE" in of_id(webgl, "show-map").get_attribute("title")
    assert not of_id(webgl, "show-map").is_enabled()
    assert not of_id(webgl, "map-panel").is_displayed()
