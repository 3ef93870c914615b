# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The image and the film of docs/reference/teach.md, from generated rooms; used by pictures.py."""

import io
import time

from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page_test import Taught, add_class, browser_of, opened, press, status, wait_for

SIZE = "1460,900"
WIDTH = 900  # of the film, in pixels
MS = 260  # duration of an image


class Camera:
    """Records screenshots of the page."""

    def __init__(self, browser):
        self.browser, self.pictures = browser, []

    def take(self, times=1):
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        self.pictures += [picture.resize((WIDTH, WIDTH * picture.height // picture.width), Image.LANCZOS)] * times

    def draw(self, canvas, *points):
        x, y = points[0]
        ActionChains(self.browser, duration=20).move_to_element_with_offset(canvas, x, y).click_and_hold().perform()
        for x, y in points[1:]:
            ActionChains(self.browser, duration=60).move_to_element_with_offset(canvas, x, y).perform()
            self.take()
        ActionChains(self.browser).release().perform()

    def wait(self, word):
        self.take()
        wait_for(lambda: status(self.browser).startswith(word))
        time.sleep(0.2)
        self.take(3)

    def write(self, path):
        first, *others = self.pictures
        first.save(path, save_all=True, append_images=others, duration=MS, loop=0, quality=45, method=6, minimize_size=True)


def save_picture(png, path):
    """A screenshot as WebP, small enough for a page of the documentation."""
    Image.open(io.BytesIO(png)).convert("RGB").save(path, quality=82, method=6)


def film(picture, film_path, folder):
    """Writes the image and the film, both as WebP."""
    taught = Taught(folder / "rooms_taught")
    browser = browser_of(SIZE)
    try:
        canvas = opened(browser, taught)
        for name in ("floor", "wall", "furniture"):
            add_class(browser, name)
        camera = Camera(browser)
        camera.take(3)
        press(browser, "1")
        camera.draw(canvas, (-180, 225), (-90, 232), (0, 228), (90, 235), (180, 230))
        press(browser, "2")
        camera.draw(canvas, (-200, -190), (-100, -180), (0, -185), (120, -190), (220, -180))
        camera.wait("Model updated")
        press(browser, "3")
        camera.draw(canvas, (120, 40), (160, 50), (210, 60))
        camera.wait("Model updated")
        save_picture(browser.get_screenshot_as_png(), picture)
        press(browser, "f")
        ActionChains(browser).move_to_element_with_offset(canvas, 180, 70).click().perform()
        camera.wait("Model updated")
        press(browser, "u")
        time.sleep(0.5)
        camera.take(4)
        press(browser, "u")
        wait_for(lambda: browser.find_element(By.ID, "next").is_enabled())
        press(browser, "n")
        time.sleep(0.7)
        camera.take(4)
        press(browser, "w")
        ActionChains(browser).move_to_element_with_offset(canvas, -100, -100).click().perform()
        time.sleep(0.7)
        camera.take(6)
        press(browser, Keys.ESCAPE)
        camera.write(film_path)
    finally:
        browser.quit()
        taught.kill()

