# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Settings of the host program change no result, and are restored afterwards."""

import pytest
from hosts import HOSTS, expect_the_usual, results_of

WORK = """
import fernwood
folder = os.path.abspath(sys.argv[3])

def results():
    data = fernwood.Dataset(folder, split="train")
    small = {"trees": 3, "samples_per_frame": 100, "features": 60, "max_depth": 5, "progress": False, "threads": 2, "backbone": "none"}
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
"""


@pytest.fixture(scope="module")
def usual(script, rooms, tmp_path_factory):
    found = results_of(script, WORK, "usual", tmp_path_factory.mktemp("usual"), rooms).split()
    assert len(found) > 40
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_hosts_change_nothing(script, usual, host, rooms, tmp_path, monkeypatch):
    expect_the_usual(script, WORK, usual, host, tmp_path, monkeypatch, rooms)
