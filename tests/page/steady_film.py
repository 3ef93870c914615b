# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The film of scripts/steady_film, which passes the program and describes the options."""

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

PROGRAM = os.environ["FERNWOOD_PROGRAM"]
CAPTION = 20  # rows above the images
OPACITY = 0.6  # of labels over colour
WAYS = ("single frames", "steady", "map")


def fernwood(*words):
    subprocess.run([PROGRAM, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def generated(folder, num_frames):
    """A recording of a room, and a model trained on other rooms."""
    fernwood("dataset", "generate", "--out", folder / "rooms", "--frames", 60, "--test-frames", 0, "--seed", 1)
    fernwood("train", "--data", folder / "rooms/train", "--preset", "fast", "--out", folder / "rooms.fernwood")
    walk = ["--frames", 1, "--test-frames", 0, "--sequence", num_frames, "--fps", 8, "--seed", 2]
    fernwood("dataset", "generate", "--out", folder / "walk", *walk)
    return f"frames:{next((folder / 'walk/train').glob('room*'))}", folder / "rooms.fernwood"


def recorded(folder, source, model, num_frames, every):
    """Records every `every`-th frame of any source into a folder of frames, with poses."""
    frames, count = folder / "frames", num_frames * every
    words = ["--headless", "--every-frame", "--frames", count, "--record", frames]
    fernwood("live", "--model", model, "--source", source, *words)
    names = sorted(path.name.removesuffix("_colors.png") for path in frames.glob("*_colors.png"))
    for i, name in enumerate(names):
        if i % every:
            for path in frames.glob(f"{name}_*"):
                path.unlink()
    poses = frames / "poses.txt"
    if poses.exists():
        left_out = {name for i, name in enumerate(names) if i % every}
        lines = poses.read_text().splitlines(keepends=True)
        poses.write_text("".join(line for line in lines if not left_out & set(line.split()[:1])))
    return frames, names[::every]


def labelled(folder, frames, model, smooth):
    """Folders of NAME_labels.png, in the order of WAYS."""
    single, steady, mapped = folder / "single", folder / "steady", folder / "mapped"
    words = ["--model", model, "--smooth", smooth]
    fernwood("predict", "--data", frames, "--out", single, *words)
    fernwood("predict", "--data", frames, "--out", steady, "--steady", *words)
    fernwood("map", "--source", f"frames:{frames}", "--frames-out", mapped, *words)
    return single, steady, mapped


def picture(color, label_files, width):
    """The images of all ways side by side, with captions."""
    size = (width // len(WAYS), width // len(WAYS) * color.height // color.width)
    whole = Image.new("RGB", (size[0] * len(WAYS), size[1] + CAPTION), "white")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(13)
    for i, (way, path) in enumerate(zip(WAYS, label_files)):
        labels = Image.open(path).convert("RGB").resize(color.size, Image.NEAREST)
        known = labels.convert("L").point(lambda grey: round(255 * OPACITY) if grey else 0)
        mixed = Image.composite(labels, color, known)
        whole.paste(mixed.resize(size, Image.LANCZOS), (i * size[0], CAPTION))
        pen.text((i * size[0] + size[0] // 2, CAPTION // 2), way, fill="black", font=font, anchor="mm")
    return whole


def main():
    parser = argparse.ArgumentParser(prog="steady_film")
    parser.add_argument("film", type=Path, metavar="FILE.webp")
    parser.add_argument("--source", help="a recording as of fernwood live; needs --model")
    parser.add_argument("--model", type=Path)
    for name, value in {"frames": 60, "every": 1, "smooth": 0, "width": 960, "rate": 8, "quality": 60}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    if (given.source is None) != (given.model is None):
        parser.error("--source and --model go together")
    if min(given.frames, given.every, given.rate, given.width // len(WAYS)) < 1:
        parser.error("--frames, --every, --rate and --width are numbers above 0")
    folder = Path(tempfile.mkdtemp(prefix="steady_film"))
    try:
        source, model = (given.source, given.model) if given.source else generated(folder, given.frames * given.every)
        frames, names = recorded(folder, source, model, given.frames, given.every)
        ways = labelled(folder, frames, model, given.smooth)
        pictures = [
            picture(Image.open(frames / f"{name}_colors.png").convert("RGB"),
                    [way / f"{name}_labels.png" for way in ways], given.width)
            for name in names
        ]  # fmt: skip
        pictures[0].save(given.film, save_all=True, append_images=pictures[1:], duration=1000 // given.rate, loop=0,
                         quality=given.quality, method=4)  # fmt: skip
    finally:
        shutil.rmtree(folder)
    print(f"{given.film}: {len(pictures)} frames, {given.film.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
