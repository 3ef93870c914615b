# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Settings of the host program change no result, and are restored afterwards."""

import shutil
import subprocess

import pytest

WORK = """
import ctypes, hashlib, locale, os, platform, signal, sys, threading
import numpy as np, fernwood
from fernwood.streams import StreamTree

folder, out, host = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
UPWARD = 0x400000 if platform.machine() == "aarch64" else 0x800  # FE_UPWARD of fenv.h
libm = ctypes.CDLL("libm.so.6")
numbers = np.random.default_rng(1).random((400, 5)).astype(np.float32)  # made before anything is changed
texts = ["abcd"[int(value * 4)] for value in numbers[:, 0]]

def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()

def results():
    data = fernwood.Dataset(folder, split="train")
    small = {"trees": 3, "samples_per_frame": 100, "features": 60, "max_depth": 5, "progress": False, "threads": 2}
    for kind in ("boosted", "forest"):
        forest = fernwood.train(data, algorithm=kind, learning_rate=0.3 if kind == "boosted" else None, **small)
        forest.save(os.path.join(out, "model"))
        yield bytes_of(os.path.join(out, "model"))
        again = fernwood.Forest.load(os.path.join(out, "model"))
        for frame in map(data.frame, range(3)):
            metres = np.frombuffer(bytes(4 * frame.depth.size), np.float32).reshape(frame.depth.shape) + np.float32(1.2345)
            for threads in (1, 2):
                yield again.predict(frame.color, frame.depth, camera=frame.camera, smooth=3, threads=threads).tobytes()
            yield again.predict_proba(frame.color, metres, camera=frame.camera, threads=2).tobytes()
        yield from (labels.tobytes() for labels in again.stream(data, threads=2))
        yield from (frame.labels.tobytes() for frame in fernwood.live(again, f"frames:{folder}/test", every_frame=True))
        yield repr(fernwood.evaluate(again, data, pictures=0, progress=False).data["confusion"]).encode()
    records = fernwood.records.train(numbers, texts, trees=5, threads=2)
    records.save(os.path.join(out, "records"))
    yield bytes_of(os.path.join(out, "records"))
    yield records.predict_proba(numbers).tobytes() + records.predict_codes(numbers).tobytes()
    tree = StreamTree(workers=2)
    tree.feed(numbers, texts)
    tree.tree().save(os.path.join(out, "tree"))
    yield bytes_of(os.path.join(out, "tree"))

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


@pytest.fixture(scope="module")
def usual(script, rooms, tmp_path_factory):
    found = script(WORK, rooms, tmp_path_factory.mktemp("usual"), "usual").split()
    assert len(found) > 40
    return found


def make_locale(folder, monkeypatch):
    """Makes a locale with a decimal comma for child processes, if the machine has localedef."""
    folder.mkdir()
    making = ["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"]
    if shutil.which("localedef") and subprocess.run(making, capture_output=True).returncode == 0:
        monkeypatch.setenv("LOCPATH", str(folder))


@pytest.mark.parametrize("host", ["rounding", "locale", "folder", "thread"])
def test_hosts_change_nothing(script, usual, host, rooms, tmp_path, monkeypatch):
    if host == "locale":
        make_locale(tmp_path / "locales", monkeypatch)
    found = script(WORK, rooms, tmp_path, host)
    if found == "no locale\n":
        pytest.skip("this machine has no locale whose decimals begin with a comma")
    assert found.split() == usual, [i for i, (a, b) in enumerate(zip(found.split(), usual)) if a != b]
