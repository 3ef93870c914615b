# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the page of `fernwood live --serve` in a browser. Run by scripts/test_page, which passes the program."""

import os
import re
import signal
import subprocess
import time

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

PROGRAM = os.environ["FERNWOOD_PROGRAM"]


def wait_for(is_so, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


@pytest.fixture
def live(tmp_path, request):
    quiet = {"check": True, "capture_output": True}
    subprocess.run([PROGRAM, "dataset", "generate", "--out", tmp_path, "--frames", "3", "--test-frames", "3"], **quiet)
    model = tmp_path / "m.fernwood"
    subprocess.run([PROGRAM, "train", "--data", tmp_path, "--preset", "fast", "--trees", "5", "--backbone", "none",
                    "--device", "cpu", "--out", model], **quiet)  # fmt: skip
    words = ["live", "--model", model, "--source", f"frames:{tmp_path / 'test'}", "--loop", "--serve", "--device", "cpu"]
    words += getattr(request, "param", [])
    program = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    program.url = re.search(r"http://\S+", program.stderr.readline())[0]
    yield program
    if program.poll() is None:
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=20) == 0


def browser_with(*words):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--window-size=1400,900", *words):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


@pytest.fixture
def browser():
    driver = browser_with("--disable-gpu")
    yield driver
    driver.quit()


@pytest.fixture
def webgl():
    driver = browser_with("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-prefers-reduced-motion")
    yield driver
    driver.quit()


def test_shows_frames_explains_and_says_when_it_is_over(browser, live):
    browser.get(live.url)
    status = browser.find_element(By.ID, "status")
    wait_for(lambda: "frames/s" in status.text)
    views = browser.find_elements(By.CSS_SELECTOR, "#views canvas")  # labels, colour, depth
    assert [view.is_displayed() for view in views] == [True, True, True]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#legend button")) == 9
    browser.find_element(By.ID, "depth").click()
    assert [view.is_displayed() for view in views] == [True, True, False]
    browser.find_element(By.ID, "pause").click()
    time.sleep(1)  # the frame stays on hold, for any length of time
    views[0].click()
    wait_for(lambda: "pixel " in browser.find_element(By.ID, "why").text)
    assert not browser.find_element(By.ID, "steady").is_displayed(), "there is nothing to choose"
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    live.send_signal(signal.SIGINT)
    wait_for(lambda: status.text.startswith("the run has ended"))


@pytest.mark.parametrize("live", [["--objects", "--min-object-confidence", "0.1"]], indirect=True)
def test_objects_are_listed_beside_the_pictures(browser, live):
    browser.get(live.url)
    table = browser.find_element(By.ID, "objects")
    wait_for(lambda: " m²" in table.text)
    assert re.fullmatch(r"\d+ .+ \d+ % \d+\.\d m \d+\.\d\d m² now", re.search(r".+ m² now", table.text)[0]), table.text
    assert "m" in browser.find_element(By.ID, "objects-text").text
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    browser.find_element(By.ID, "objects-on").click()
    assert not table.is_displayed()
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.parametrize("live", [["--steady"]], indirect=True)
def test_steady_labels_are_changed_for_single_ones(browser, live):
    browser.get(live.url)
    steady = browser.find_element(By.ID, "steady")
    wait_for(steady.is_displayed)
    assert steady.is_selected()
    browser.find_element(By.TAG_NAME, "body").send_keys("t")
    assert not steady.is_selected()
    browser.switch_to.new_window("tab")
    browser.get(live.url)
    other = browser.find_element(By.ID, "steady")
    wait_for(lambda: other.is_displayed() and not other.is_selected())
    other.click()
    browser.switch_to.window(browser.window_handles[0])
    wait_for(steady.is_selected)
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.parametrize("live", [["--map", "--min-weight", "1"], []], indirect=True, ids=["map", "pictures"])
@pytest.mark.parametrize("size", [(1440, 900), (820, 1180), (420, 860)])
def test_labels_are_the_largest_and_nothing_is_cut(webgl, live, size, request):
    browser, has_map = webgl, "map" in request.node.name.split("[")[1]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})  # fmt: skip
    browser.get(live.url)
    wait_for(lambda: "frames/s" in browser.find_element(By.ID, "status").text)
    if has_map:
        wait_for(lambda: browser.find_elements(By.ID, "map-view") and browser.find_element(By.ID, "map-view").is_displayed())
    if folder := os.environ.get("FERNWOOD_SCREENSHOTS"):
        browser.save_screenshot(f"{folder}/live_{size[0]}_{has_map}.png")
    boxes = browser.execute_script("""
      return [...document.querySelectorAll('#views canvas')].filter((one) => one.checkVisibility()).map((canvas) => {
        const { left, top, right, bottom, width, height } = canvas.getBoundingClientRect();
        const scale = Math.min(width / canvas.width, height / canvas.height);
        const area = document.getElementById('room').getBoundingClientRect();
        const isIn = left >= area.left && right <= area.right && top >= area.top && bottom <= area.bottom;
        return [canvas.id || canvas.dataset.view, canvas.width * canvas.height * scale * scale, isIn];
      })""")
    areas = {name: area for name, area, _ in boxes}
    assert all(is_in for *_, is_in in boxes), boxes
    assert areas["overlay"] == max(areas.values()), areas
    assert areas["overlay"] > 0.3 * size[0] * size[1] or areas["overlay"] > 0.9 * 0.75 * (size[0] - 20) ** 2, areas
    assert has_map == ("map-view" in areas)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("live", [["--map", "--min-weight", "1"]], indirect=True)
def test_a_map_turns_beside_the_pictures(webgl, live):
    browser = webgl
    browser.get(live.url)
    news = browser.find_element(By.ID, "map-news")
    wait_for(lambda: "points of" in news.text)
    canvas = browser.find_element(By.ID, "map-view")
    assert canvas.is_displayed()
    assert all(view.is_displayed() for view in browser.find_elements(By.CSS_SELECTOR, "#views canvas"))
    first = news.text
    wait_for(lambda: news.text != first)
    whole = len(canvas.screenshot_as_png)
    assert whole > 3000, "something is drawn"
    browser.find_element(By.ID, "pause").click()
    for number in range(len(browser.find_elements(By.CSS_SELECTOR, "#legend button"))):
        browser.find_elements(By.CSS_SELECTOR, "#legend button")[number].click()  # the buttons are created anew
    wait_for(lambda: len(canvas.screenshot_as_png) < whole / 3)
    browser.find_element(By.ID, "map-on").click()
    assert not canvas.is_displayed()
    problems = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    missed = ("/shown/", "/map/")  # expired for a slow page
    assert not [problem for problem in problems if not any(path in problem for path in missed)]
