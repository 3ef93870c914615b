# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tests the page of `fernwood teach` behind a proxy that serves it by HTTPS below a path, as JupyterHub, Open OnDemand
and code-server do. Run by scripts/test_page, which passes the program."""

import re
import socket
import ssl
import subprocess
import threading

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from teach_page_test import Taught, add_class, draw, status, wait_for

PREFIX = "/user/me/proxy/8765"


class Proxy:
    """Passes connections on to a page. @param strips: the path in front is removed, and the host replaced."""

    def __init__(self, folder, page, strips):
        words = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", folder / "key", "-out", folder / "crt"]
        subprocess.run(["openssl", "req", "-x509", *words], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "crt", folder / "key")
        self.page, self.strips, self.context = page, strips, context
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.origin = f"https://localhost:{self.listening.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.listening.accept()[0],), daemon=True).start()

    def serve(self, plain):
        try:
            browser = self.context.wrap_socket(plain, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head and (more := browser.recv(65536)):
                head += more
            if b"Upgrade: websocket" not in head:  # one request in each connection
                head = head.replace(b"Connection: keep-alive", b"Connection: close")
            if self.strips:
                head = re.sub(rb"\r\nHost: [^\r]*", f"\r\nHost: {self.page[0]}:{self.page[1]}".encode(), head.replace(PREFIX.encode(), b"", 1))
            page = socket.create_connection(self.page)
            page.sendall(head)
            threading.Thread(target=self.pass_on, args=(browser, page), daemon=True).start()
            self.pass_on(page, browser)
        except OSError:
            plain.close()

    @staticmethod
    def pass_on(one, other):
        try:
            while some := one.recv(65536):
                other.sendall(some)
            other.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


@pytest.fixture
def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900", "--ignore-certificate-errors"):
        options.add_argument(word)
    driver = webdriver.Chrome(options=options)
    yield driver
    driver.quit()


@pytest.mark.parametrize("strips", [True, False])
def test_a_page_behind_a_proxy_works_and_says_what_it_needs(browser, tmp_path, strips):
    taught = Taught(tmp_path / "taught")
    try:
        port, token = re.search(r":(\d+)/(\w+)/", taught.url).groups()
        proxy = Proxy(tmp_path, ("127.0.0.1", int(port)), strips)
        address = f"{proxy.origin}{PREFIX}/{token}/"
        browser.get(address)
        wait_for(lambda: f"--trusted-origin {proxy.origin}" in status(browser))
        taught.kill()
        taught.options = ["--port", port, "--trusted-origin", proxy.origin]
        taught.start()
        browser.get(address)
        wait_for(lambda: status(browser) == "4 frames")
        add_class(browser, "floor")
        draw(browser, browser.find_element(By.ID, "picture"), (-100, 200), (100, 200))
        wait_for(lambda: len(taught.strokes()) == 1)
    finally:
        taught.kill()
