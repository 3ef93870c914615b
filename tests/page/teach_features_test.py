# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests contents and appearance of the page of `fernwood teach` in a browser. Run by scripts/test_page."""

import base64
import io
import json
import time
import zipfile

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page_test import add_class, browser, draw, opened, press, status, taught, wait_for, with_control

__all__ = ["browser", "taught"]  # fixtures


def of_id(browser, name):
    return browser.find_element(By.ID, name)


def learnt(browser, taught):
    """Two classes with a stroke each, and a model trained on them."""
    picture = opened(browser, taught)
    for key, name, y in (("1", "floor", 250), ("2", "wall", -200)):
        add_class(browser, name)
        press(browser, key)
        draw(browser, picture, (-200, y), (0, y), (200, y))
    wait_for(lambda: status(browser) == "Model updated and refined", 60)
    return picture


def resize(browser, width, height):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def set_slider(browser, name, value):
    browser.execute_script(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))", name, value)  # fmt: skip


def pixel(browser, picture, x, y):
    """Red, green and blue of a canvas pixel, relative to its centre."""
    return browser.execute_script(
        """const c = arguments[0], k = c.width / c.clientWidth;
           return [...c.getContext('2d').getImageData(c.width / 2 + k * arguments[1], c.height / 2 + k * arguments[2], 1, 1).data].slice(0, 3)""",
        picture, x, y)  # fmt: skip


def plain_pixel(browser, picture, x, y):
    """Like pixel(), without labels."""
    browser.execute_script("document.activeElement.blur()")
    ActionChains(browser).key_down(Keys.SPACE).perform()
    found = pixel(browser, picture, x, y)
    ActionChains(browser).key_up(Keys.SPACE).perform()
    return found


def test_classes_are_hidden_and_faded_until_they_are_drawn(browser, taught):
    picture = learnt(browser, taught)
    set_slider(browser, "blend", 0)  # shows only strokes
    place = (100, -200)
    drawn, plain = pixel(browser, picture, *place), plain_pixel(browser, picture, *place)
    assert drawn != plain
    press(browser, "h")
    assert pixel(browser, picture, *place) == plain
    press(browser, "h")
    assert pixel(browser, picture, *place) == drawn
    assert of_id(browser, "class-opacity-name").text == "wall"
    set_slider(browser, "class-opacity", 50)
    faded = pixel(browser, picture, *place)
    assert all(min(a, b) - 2 <= c <= max(a, b) + 2 for a, b, c in zip(drawn, plain, faded)) and faded not in (drawn, plain)
    eye = browser.find_element(By.CSS_SELECTOR, "[data-eye='1']")
    eye.click()
    assert eye.get_attribute("aria-pressed") == "false" and pixel(browser, picture, *place) == plain
    floor = pixel(browser, picture, 100, 250)
    assert floor != plain_pixel(browser, picture, 100, 250), "the other class is where it was"
    draw(browser, picture, (-100, 0), (100, 0))
    wait_for(lambda: len(taught.strokes()) == 3)
    assert browser.find_element(By.CSS_SELECTOR, "[data-eye='1']").get_attribute("aria-pressed") == "true"
    assert pixel(browser, picture, *place) == drawn


def test_all_classes_have_keys(browser, taught):
    picture = opened(browser, taught)
    for i in range(20):
        add_class(browser, f"class{i}.")
    keys = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#classes kbd")]
    assert keys == [*"123456789", *(f"⇧{i}" for i in range(1, 10)), "/19", "/20"]
    browser.execute_script("document.activeElement.blur()")
    for digit, number in (("2", 10), ("1", 9)):
        ActionChains(browser).key_down(Keys.SHIFT).send_keys(digit).key_up(Keys.SHIFT).perform()
        draw(browser, picture, (0, 0))
        wait_for(lambda number=number: taught.strokes() and taught.strokes()[-1]["class"] == number)
    press(browser, "9")
    draw(browser, picture, (0, 0))
    wait_for(lambda: taught.strokes()[-1]["class"] == 8)
    for typed, number in (("20", 19), ("class13", 13)):
        press(browser, "/")
        wait_for(lambda: of_id(browser, "pick-sheet").is_displayed())
        ActionChains(browser).send_keys(typed + Keys.ENTER).perform()
        draw(browser, picture, (0, 0))
        wait_for(lambda number=number: taught.strokes()[-1]["class"] == number)
    press(browser, "/")
    ActionChains(browser).send_keys("class7" + Keys.ESCAPE).perform()
    draw(browser, picture, (0, 0))
    wait_for(lambda: len(taught.strokes()) == 6)
    assert taught.strokes()[-1]["class"] == 13, "what was chosen before"


def test_what_the_data_lacks_is_told_before_anything_is_drawn(browser, taught):
    opened(browser, taught)
    assert not of_id(browser, "warnings").is_displayed(), "nothing is wrong with these"
    taught.kill()
    for depth in taught.data.glob("*_depth.png"):
        depth.rename(depth.with_name(depth.name.replace("_depth", "_Depth")))
    taught.folder = taught.folder.parent / "other"
    taught.start()
    opened(browser, taught)
    assert "_Depth.png" in of_id(browser, "warnings").text and "_depth.png" in of_id(browser, "warnings").text
    browser.find_element(By.CSS_SELECTOR, "#warnings summary").click()
    browser.switch_to.new_window("tab")
    opened(browser, taught)
    assert of_id(browser, "warnings").text == "About the data", "it was read, in another tab"


def truth_pixels(browser):
    """Number of pixels with a class in the frame in view."""
    return browser.execute_async_script("""const done = arguments[0]; import('./state.js').then(({ state }) => {
        const layer = state.truth;
        if (!layer) return done(null); // on its way
        const { data } = layer.getContext('2d').getImageData(0, 0, layer.width, layer.height);
        let count = 0; for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
        done(count); })""")  # fmt: skip


def test_labels_of_the_model_are_accepted_and_taken_back_in_one_step(browser, taught):
    opened(browser, taught)
    assert not of_id(browser, "accept").is_enabled()
    press(browser, "a")
    assert status(browser).startswith("The model has not labelled this frame")
    picture = learnt(browser, taught)
    press(browser, Keys.ARROW_RIGHT)
    wait_for(of_id(browser, "accept").is_enabled)
    wait_for(lambda: truth_pixels(browser) == 0)
    # under a brush stroke
    press(browser, "m", "b")
    assert of_id(browser, "accept-drawn").get_attribute("aria-pressed") == "true"
    draw(browser, picture, (-100, 0), (100, 0))
    wait_for(lambda: "labels" in taught.strokes()[-1])
    assert taught.strokes()[-1]["frame"] == 1 and "class" not in taught.strokes()[-1]
    wait_for(lambda: 0 < (truth_pixels(browser) or 0) < 640 * 480 / 10)
    # in a polygon, and in a filled region
    press(browser, "p")
    for corner in ((-300, -200), (-100, -200), (-100, -100)):
        draw(browser, picture, corner)
    press(browser, Keys.ENTER)
    wait_for(lambda: len(taught.strokes()) == 4)
    press(browser, "f")
    draw(browser, picture, (250, 250))
    wait_for(lambda: len(taught.strokes()) == 5 or "drawn already" in status(browser) or "unknown" in status(browser))
    # of a class, by the button
    press(browser, "1", "b")
    assert of_id(browser, "accept-drawn").get_attribute("aria-pressed") == "false"
    before = len(taught.strokes())
    of_id(browser, "accept-class").click()
    wait_for(lambda: len(taught.strokes()) == before + 1)
    assert set(taught.strokes()[-1]["labels"][::3]) == {0}
    # of all classes
    press(browser, "a")
    wait_for(lambda: len(taught.strokes()) == before + 2)
    wait_for(lambda: truth_pixels(browser) == 640 * 480)
    with_control(browser, "z")
    wait_for(lambda: (truth_pixels(browser) or 0) not in (0, 640 * 480))
    assert taught.events()[-1]["undo"] == taught.strokes()[-1]["stroke"]
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


LABEL_CHANGES = """const done = arguments[0]; import('./state.js').then(({ state }) => {
    if (!state.labels) return done(null); // on their way
    const { width, height } = state.labels, { data } = state.labels.getContext('2d').getImageData(0, 0, width, height);
    let changes = 0; for (let i = 4; i < data.length; i += 4) changes += data[i] !== data[i - 4] || data[i + 1] !== data[i - 3];
    done(changes); })"""  # from pixel to pixel


def test_labels_are_smooth_unless_the_project_says_otherwise(browser, taught):
    learnt(browser, taught)
    seen = [None, 0]  # until the thoroughly trained model has labelled the frame

    def is_steady():
        time.sleep(1)
        seen.append(browser.execute_async_script(LABEL_CHANGES))
        return seen[-1] is not None and len(set(seen[-3:])) == 1

    wait_for(is_steady)
    smooth = seen[-1]
    press(browser, "t")
    wait_for(lambda: (browser.execute_async_script(LABEL_CHANGES) or smooth) > smooth)
    taught.kill()
    taught.start()
    browser.get(taught.url)
    wait_for(lambda: taught.events()[-1] == {"smooth": False} and not of_id(browser, "smooth").is_selected())
    press(browser, "t")
    wait_for(lambda: browser.execute_async_script(LABEL_CHANGES) == smooth, 60)


def test_frames_are_marked_as_done_and_counted(browser, taught):
    opened(browser, taught)
    assert of_id(browser, "done-count").text == "0 of 4 done"
    press(browser, "x")
    wait_for(lambda: of_id(browser, "done-count").text == "1 of 4 done")
    assert taught.events()[-1] == {"done": 0, "is_done": True}
    assert len(browser.find_elements(By.CSS_SELECTOR, "#frames .done")) == 1
    press(browser, Keys.ARROW_RIGHT, "x")
    wait_for(lambda: of_id(browser, "done-count").text == "2 of 4 done")
    press(browser, Keys.ARROW_LEFT, "j")
    assert browser.find_element(By.CSS_SELECTOR, "#frames [aria-current=true]").get_attribute("data-frame") == "2"
    taught.kill()
    taught.start()
    browser.get(taught.url)
    wait_for(lambda: of_id(browser, "done-count").text == "2 of 4 done")
    of_id(browser, "done").click()
    wait_for(lambda: of_id(browser, "done-count").text == "1 of 4 done")
    for key in "xjxjx":
        if key == "j":
            press(browser, "j")
            continue
        events = len(taught.events())
        press(browser, "x")
        wait_for(lambda events=events: len(taught.events()) == events + 1)
    wait_for(lambda: of_id(browser, "done-count").text == "4 of 4 done")
    assert not of_id(browser, "next-open").is_enabled()


def test_labels_of_the_model_go_out_in_all_formats(browser, taught):
    learnt(browser, taught)
    wait_for(lambda: browser.execute_script("return import('./state.js').then(({ state }) => state.frames.every((one) => one.labels_of !== null))"))
    of_id(browser, "export").click()
    browser.find_element(By.CSS_SELECTOR, "[name=labels][value=predicted]").click()
    found = {}
    for link in browser.find_elements(By.CSS_SELECTOR, "#export-sheet [data-format]"):
        text = browser.execute_async_script("""fetch(arguments[0]).then((a) => a.arrayBuffer()).then((bytes) =>
            arguments[1](btoa([...new Uint8Array(bytes)].map((byte) => String.fromCharCode(byte)).join(''))))""", link.get_attribute("href"))  # fmt: skip
        found[link.get_attribute("download")] = base64.b64decode(text)
    coco = json.loads(found["labels_predicted_coco.json"])
    assert len(coco["images"]) == 4 and sum(one["area"] for one in coco["annotations"]) == 4 * 640 * 480
    assert len(json.loads(found["labels_predicted_label-studio.json"])) == 4
    assert found["labels_predicted_cvat.xml"].count(b"<image ") == 4
    for kind in ("png", "npy"):
        with zipfile.ZipFile(io.BytesIO(found[f"labels_predicted_{kind}.zip"])) as archive:
            assert archive.testzip() is None
            names = archive.namelist()
            assert "classes.txt" in names and len([name for name in names if name.endswith(kind)]) == 4
            assert archive.read("classes.txt") == b"floor\nwall\n"


# The visible text with the lowest contrast to its background (WCAG 2.1, 1.4.3), with that contrast.
LEAST_CONTRAST = """
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const light = ({ rgb }) => rgb.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => { for (; one; one = one.parentElement) { const c = parse(getComputedStyle(one).backgroundColor); if (c.a > 0.9) return c; } };
  let least = [21, ''];
  for (const one of document.querySelectorAll('body *')) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!one.checkVisibility() || one.closest(':disabled, select, option')) continue;
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(behind(one))].sort((p, q) => q - p);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least[0]) least = [contrast, one.outerHTML.slice(0, 120)];
  }
  return least;"""
# Buttons and fields that extend beyond the window or overlap each other.
MISPLACED = """
  const all = [...document.querySelectorAll('header button, header input, aside button, aside input')].filter((one) => one.checkVisibility());
  const boxes = all.map((one) => one.getBoundingClientRect());
  const out = all.filter((one, i) => boxes[i].right > innerWidth + 1 || boxes[i].left < 0);
  const over = all.filter((one, i) => boxes.some((other, k) => k > i && Math.min(boxes[i].right, other.right) - Math.max(boxes[i].left, other.left) > 1
    && Math.min(boxes[i].bottom, other.bottom) - Math.max(boxes[i].top, other.top) > 1));
  return [...out, ...over].map((one) => one.outerHTML.slice(0, 120));"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1400])
def test_it_is_legible(browser, taught, width, scheme):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    resize(browser, width, 900)
    opened(browser, taught)
    add_class(browser, "a class with a name that is longer than its place")
    for sheet in (None, "help", "export"):
        if sheet:
            of_id(browser, sheet).click()
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        contrast, where = browser.execute_script(LEAST_CONTRAST)
        assert contrast >= 4.5, where
        assert browser.execute_script(MISPLACED) == []
        press(browser, Keys.ESCAPE)


def test_where_the_keyboard_is_can_be_seen(browser, taught):
    opened(browser, taught)
    for name in ("floor", "wall"):
        add_class(browser, name)
    browser.execute_script("document.querySelector('#classes li:nth-child(2) .choose').focus()")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    chosen = browser.execute_script("return [document.activeElement.innerText, document.activeElement.ariaPressed]")
    assert chosen[0].startswith("wall") and chosen[1] == "true", "the keyboard stays where it was"
    browser.execute_script("document.querySelector('[data-tool]').focus()")
    seen = set()
    for _ in range(40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        name, outline = browser.execute_script("""const one = document.activeElement;
            return [one.id || one.className || one.dataset?.tool || one.tagName, getComputedStyle(one).outlineStyle]""")  # fmt: skip
        assert outline != "none" or name == "BODY", name
        seen.add(name)
    assert {"picture", "class-name", "choose", "export"} <= seen
