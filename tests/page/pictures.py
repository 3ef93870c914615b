# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The images of docs/images, from generated rooms. Run by scripts/pictures, which passes the program.

  FOLDER WHAT...   output folder, then any of "panels", "live" and "teach"
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from film import film, save_picture
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from teach_page_test import PROGRAM, browser_of, wait_for

PANEL_WIDTH = 1292


def fernwood(*words):
    subprocess.run([PROGRAM, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def rooms_and_model(folder):
    """The data and the model of scripts/demo, with the same number of scenes."""
    fernwood("dataset", "generate", "--out", folder / "rooms", "--frames", 120, "--test-frames", 24, "--seed", 1)
    fernwood("train", "--data", folder / "rooms/train", "--out", folder / "rooms.fernwood", "--depth-filling", "simple")
    return folder / "rooms/test", folder / "rooms.fernwood"


def panels(images, folder, test, model):
    fernwood("predict", "--model", model, "--data", test, "--smooth", 80, "--out", folder / "labels", "--panel")
    for name, scene in (("panel.jpg", "scene0125"), ("panel2.jpg", "scene0120")):
        panel = Image.open(folder / f"labels/{scene}_panel.png").convert("RGB")
        panel.resize((PANEL_WIDTH, PANEL_WIDTH * panel.height // panel.width), Image.LANCZOS).save(images / name, quality=88)


def live_page(images, folder, model):
    program = subprocess.Popen([PROGRAM, "live", "--model", model, "--source", "frames:rooms/test", "--loop", "--serve", "--rate", "10"],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    browser = browser_of("1400,800")
    try:
        browser.get(re.search(r"http://\S+", program.stderr.readline())[0])
        wait_for(lambda: browser.find_elements(By.TAG_NAME, "canvas") and "frames/s" in browser.page_source)
        time.sleep(3)
        canvas = browser.find_elements(By.TAG_NAME, "canvas")[-1]
        ActionChains(browser).move_to_element_with_offset(canvas, 40, 60).click().perform()
        time.sleep(1)
        save_picture(browser.get_screenshot_as_png(), images / "live_serve.webp")
    finally:
        browser.quit()
        program.terminate()


def main(images, *what):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if "panels" in what or "live" in what:
            test, model = rooms_and_model(folder)
        if "panels" in what:
            panels(images, folder, test, model)
        if "live" in what:
            live_page(images, folder, model)
        if "teach" in what:
            film(images / "teach.webp", images / "teach_film.webp", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
