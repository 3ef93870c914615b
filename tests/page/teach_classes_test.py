# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests classes on the page of `fernwood teach`: added, with used names, deleted, without strokes. Run by
scripts/test_page."""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page_test import add_class, browser, draw, opened, press, status, taught, wait_for, with_control

__all__ = ["browser", "taught"]  # fixtures


def click_in_sheet(browser, row, choice):
    browser.find_element(By.CSS_SELECTOR, f"#classes li:nth-child({row}) button:last-child").click()
    browser.find_element(By.CSS_SELECTOR, f"#class-sheet button[value={choice}]").click()


def test_a_class_is_deleted_and_restored_after_a_reload(browser, taught):
    picture = opened(browser, taught)
    for name, y in (("floor", 250), ("wall", -200)):
        add_class(browser, name)
        draw(browser, picture, (-200, y), (200, y))
    wait_for(lambda: len(taught.strokes()) == 2)
    wait_for(lambda: status(browser).startswith("Model updated"))
    click_in_sheet(browser, 2, "delete")
    wait_for(lambda: browser.find_element(By.ID, "confirm-text").text == "Delete wall (1 stroke on 1 frame)?")
    browser.find_element(By.ID, "confirm-yes").click()
    wait_for(lambda: taught.events()[-1].get("delete") == 1)
    wait_for(lambda: status(browser).startswith("one class is drawn"))
    draw(browser, picture, (0, 0))  # without a class: the selected one was deleted
    wait_for(lambda: status(browser).startswith("choose a class"))
    assert len(taught.strokes()) == 2
    opened(browser, taught)
    browser.find_element(By.CSS_SELECTOR, "#gone summary").click()
    browser.find_element(By.CSS_SELECTOR, "#gone-classes button").click()
    wait_for(lambda: taught.events()[-1].get("restore") == 1)
    wait_for(lambda: status(browser).startswith("Model updated"))


def test_nothing_is_left_when_all_is_undone_and_problems_go(browser, taught):
    picture = opened(browser, taught)
    draw(browser, picture, (0, 0))
    wait_for(lambda: status(browser) == "add a class first")
    browser.find_element(By.ID, "status-close").click()
    assert status(browser) == ""
    for name, y in (("floor", 250), ("wall", -200)):
        add_class(browser, name)
        draw(browser, picture, (-200, y), (200, y))
    labelled = "return [...document.querySelectorAll('#frames button')].filter((one) => one.title.includes('uncertainty')).length"
    wait_for(lambda: browser.execute_script(labelled) == 4)
    with_control(browser, "z")
    wait_for(lambda: status(browser).startswith("one class is drawn"))
    with_control(browser, "z")
    wait_for(lambda: status(browser).startswith("nothing is drawn"))
    assert browser.execute_script(labelled) == 0
    with_control(browser, "y")
    with_control(browser, "y")
    wait_for(lambda: status(browser).startswith("Model updated"))
    press(browser, "7")
    wait_for(lambda: status(browser) == "there is no class 7; there are 2")
    with_control(browser, "z")
    wait_for(lambda: status(browser).startswith("one class"))


def test_a_new_colour_is_free_after_a_reload_too(browser, taught):
    opened(browser, taught)
    colors = []
    for name in "abcdefghij":
        if name in "dg":
            opened(browser, taught)
        add_class(browser, name)
        colors = [tuple(event["color"]) for event in taught.events() if "name" in event]
    assert len(set(colors)) == 10
    apart = [sum((x - y) ** 2 for x, y in zip(a, b)) for i, a in enumerate(colors) for b in [*colors[:i], (0, 0, 0)]]
    assert min(apart) >= 60**2
