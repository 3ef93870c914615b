# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the page of `fernwood map --page` in a browser. Run by scripts/test_page, which passes the program."""

import os
import subprocess
import time

import pytest
from live_page_test import wait_for
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PROGRAM = os.environ["FERNWOOD_PROGRAM"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("map")
    quiet = {"check": True, "capture_output": True}
    rooms = ["--frames", "2", "--test-frames", "1", "--sequence", "8", "--size", "320x240"]
    subprocess.run([PROGRAM, "dataset", "generate", "--out", folder, *rooms], **quiet)
    model, recording = folder / "m.fernwood", next((folder / "test").iterdir())
    small = ["--preset", "fast", "--trees", "3", "--backbone", "none", "--device", "cpu"]
    subprocess.run([PROGRAM, "train", "--data", folder, *small, "--out", model], **quiet)
    files = ["--model", model, "--source", f"frames:{recording}", "--page", folder / "map.html"]
    subprocess.run([PROGRAM, "map", *files, "--device", "cpu", "--min-weight", "1"], **quiet)
    return (folder / "map.html").as_uri()


def browser_with(*words):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--window-size=1000,1200", *words):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


@pytest.fixture
def browser():
    driver = browser_with("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-prefers-reduced-motion")
    yield driver
    driver.quit()


def test_turns_zooms_and_hides_classes(browser, page):
    browser.get(page)
    canvas, turning = browser.find_element(By.ID, "map-view"), browser.find_element(By.ID, "map-turn")

    def seen():
        return canvas.screenshot_as_png

    def changes(act):
        before = seen()
        act()
        wait_for(lambda: seen() != before)

    assert turning.get_attribute("aria-pressed") == "false", "motion is not wanted"
    assert seen() == seen()
    drag = ActionChains(browser).move_to_element(canvas).click_and_hold().move_by_offset(80, 20).release()
    changes(drag.perform)
    wheel = ScrollOrigin.from_element(canvas)
    changes(lambda: ActionChains(browser).scroll_from_origin(wheel, 0, -200).perform())
    changes(lambda: canvas.send_keys(Keys.ARROW_LEFT))
    changes(lambda: canvas.send_keys("+"))
    changes(lambda: canvas.send_keys("0"))
    for what in ("color", "probability", "class"):
        changes(lambda what=what: Select(browser.find_element(By.ID, "map-what")).select_by_value(what))
        assert browser.find_element(By.ID, "map-certainty").is_displayed() == (what == "probability")
    boxes = browser.find_elements(By.CSS_SELECTOR, ".map-legend input")
    assert len(boxes) > 2
    whole = len(seen())
    changes(browser.find_element(By.ID, "map-nothing").click)
    assert len(seen()) < whole / 4, "nothing is left to see"
    changes(boxes[0].click)
    browser.find_element(By.ID, "map-all").click()
    assert all(box.is_selected() for box in boxes)
    still = seen()
    turning.click()
    assert turning.get_attribute("aria-pressed") == "true"
    time.sleep(1)
    turning.click()  # screenshots fail while rendering occupies the CPU
    assert seen() != still
    turning.click()
    canvas.send_keys(Keys.ARROW_RIGHT)
    assert turning.get_attribute("aria-pressed") == "false", "it stops when it is touched"
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_says_so_without_webgl(page):
    browser = browser_with("--disable-3d-apis")
    try:
        browser.get(page)
        assert "does not show WebGL" in browser.find_element(By.ID, "map-none").text
        assert not browser.find_element(By.ID, "map-view").is_displayed()
    finally:
        browser.quit()
