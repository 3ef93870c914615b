# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Settings of a host program that must not change results."""

import shutil
import subprocess

import pytest

BEGIN = """
import ctypes, hashlib, locale, os, platform, signal, sys, threading
import numpy as np

out, host = os.path.abspath(sys.argv[1]), sys.argv[2]
UPWARD = 0x400000 if platform.machine() == "aarch64" else 0x800  # FE_UPWARD of fenv.h
libm = ctypes.CDLL("libm.so.6")

def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()
"""
END = """
if host == "rounding":
    assert libm.fesetround(UPWARD) == 0
if host == "locale":
    for name in ("de_DE.UTF-8", "de_DE.utf8", "tr_TR.UTF-8", "fr_FR.UTF-8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
            break
        except locale.Error:
            pass
    else:
        print("no locale")
        sys.exit()
if host == "folder":
    os.chdir("/")
if host == "thread":
    threading.stack_size(1 << 20)
handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
found = []
work = lambda: found.extend(hashlib.sha256(part).hexdigest() for part in results())
if host == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
assert handlers == {number: signal.getsignal(number) for number in signal.valid_signals()}
if host == "rounding":
    assert libm.fegetround() == UPWARD, "the rounding is another one afterwards"
if host == "folder":
    assert os.getcwd() == "/"
print(*found, sep="\\n")
"""
HOSTS = ["rounding", "locale", "folder", "thread"]


def make_locale(folder, monkeypatch):
    """Makes a locale with a decimal comma for child processes, if the machine has localedef."""
    folder.mkdir()
    making = ["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"]
    if shutil.which("localedef") and subprocess.run(making, capture_output=True).returncode == 0:
        monkeypatch.setenv("LOCPATH", str(folder))


def results_of(script, work, host, out, *arguments):
    """Checksums of the results of `work`, which defines a generator results(), in a process with the host's settings."""
    return script(BEGIN + work + END, out, host, *arguments)


def expect_the_usual(script, work, usual, host, tmp_path, monkeypatch, *arguments):
    if host == "locale":
        make_locale(tmp_path / "locales", monkeypatch)
    found = results_of(script, work, host, tmp_path, *arguments)
    if found == "no locale\n":
        pytest.skip("this machine has no locale whose decimals begin with a comma")
    assert found.split() == usual, [i for i, (a, b) in enumerate(zip(found.split(), usual)) if a != b]
