# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests what guides a user of the page of `fernwood teach`: hints, what is under the pointer, and zoom. Run by
scripts/test_page."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_features_test import of_id, pixel, resize, set_slider
from teach_page_test import add_class, browser, draw, opened, press, status, taught, wait_for

__all__ = ["browser", "taught"]  # fixtures


def point(browser, picture, x, y):
    ActionChains(browser, duration=20).move_to_element_with_offset(picture, x, y).perform()


def test_a_beginner_is_guided_from_the_first_class_to_the_export(browser, taught):
    picture = opened(browser, taught)
    hint = of_id(browser, "hint-text")
    assert hint.text.startswith("1 of 5. Add a class")
    add_class(browser, "floor")
    draw(browser, picture, (-200, 250), (200, 250))
    wait_for(lambda: hint.text.startswith("2 of 5."))
    add_class(browser, "wall")
    draw(browser, picture, (-200, -200), (200, -200))
    wait_for(lambda: hint.text.startswith("3 of 5. Look for wrong labels"))
    for y in (-190, -180):
        draw(browser, picture, (-200, y), (200, y))
    wait_for(lambda: hint.text.startswith("4 of 5. Press Next"))
    wait_for(lambda: of_id(browser, "next").is_enabled())
    press(browser, "n")
    draw(browser, picture, (0, 0))
    wait_for(lambda: hint.text.startswith("5 of 5. Finished?"))
    assert of_id(browser, "saved").text == "Saved"
    of_id(browser, "hint-close").click()
    taught.folder = taught.folder.parent / "other"
    taught.kill()
    taught.start()
    opened(browser, taught)
    assert of_id(browser, "hint").is_displayed(), "of another address, whose storage is its own"


def test_the_pointer_shows_its_brush_and_what_is_below_it(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    readout = of_id(browser, "readout")
    plain = pixel(browser, picture, 12, 100)
    set_slider(browser, "radius", 20)
    zoom = browser.execute_async_script("import('./view.js').then(({ stepsAt }) => arguments[0](8 * 100 / (stepsAt([100, 0])[0] - stepsAt([0, 0])[0])))")
    edge = round(20 * zoom / browser.execute_script("return devicePixelRatio"))
    point(browser, picture, 12 - edge, 100)
    assert pixel(browser, picture, 12, 100) != plain, "the edge of the brush"
    wait_for(lambda: readout.text.endswith(" m") or readout.text == "no depth")
    draw(browser, picture, (0, 100), (40, 100))
    wait_for(lambda: readout.text.startswith("floor · "))
    set_slider(browser, "radius", 8)
    press(browser, "f")
    assert of_id(browser, "radius-name").text == "Bends to 16°"
    strokes = len(taught.strokes())
    point(browser, picture, 0, 250)
    is_shown = "import('./state.js').then(({ state }) => arguments[0](Boolean(state.fill)))"
    wait_for(lambda: browser.execute_async_script(is_shown))
    assert len(taught.strokes()) == strokes, "before the click"
    press(browser, "b")
    assert not browser.execute_async_script(is_shown)
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_buttons_and_keys_zoom_and_space_moves(browser, taught):
    picture = opened(browser, taught)
    add_class(browser, "floor")
    place = "import('./view.js').then(({ stepsAt }) => arguments[0]([...stepsAt([0, 0]), stepsAt([100, 0])[0]]))"
    fitted = browser.execute_async_script(place)
    of_id(browser, "zoom-in").click()
    assert browser.execute_async_script(place)[0] > fitted[0]
    of_id(browser, "zoom-out").click()
    press(browser, "+")
    before = browser.execute_async_script(place)
    browser.execute_script("document.activeElement.blur()")
    chain = ActionChains(browser, duration=20).key_down(Keys.SPACE).move_to_element_with_offset(picture, 0, 0)
    chain.click_and_hold().move_by_offset(40, 30).release().key_up(Keys.SPACE).perform()
    after = browser.execute_async_script(place)
    assert after[0] < before[0] and after[1] < before[1] and not taught.strokes()
    of_id(browser, "zoom-fit").click()
    assert browser.execute_async_script(place) == fitted


def test_help_opens_at_its_top_and_buttons_that_cannot_work_say_why(browser, taught):
    resize(browser, 420, 700)
    opened(browser, taught)
    press(browser, "?")
    assert browser.execute_script("return document.getElementById('sheet').scrollTop") == 0
    assert browser.find_element(By.CSS_SELECTOR, "#sheet form button").is_displayed()
    press(browser, Keys.ESCAPE)
    assert not of_id(browser, "show-map").is_enabled()
    press(browser, "v")
    assert status(browser).rstrip() == of_id(browser, "show-map").get_attribute("title")


def test_small_frames_show_the_labels_of_the_model(browser, taught):
    picture = opened(browser, taught)
    labels = browser.find_elements(By.CSS_SELECTOR, "#frames .labels")
    assert len(labels) == 4 and not any(one.is_displayed() for one in labels)
    for name, y in (("floor", 250), ("wall", -200)):
        add_class(browser, name)
        draw(browser, picture, (-200, y), (200, y))
    wait_for(lambda: all(one.is_displayed() and one.get_property("naturalWidth") == 640 for one in labels), 60)
