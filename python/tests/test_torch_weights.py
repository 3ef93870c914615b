# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Files of torch.save(), written here byte by byte: both formats, and files that are damaged or mean harm."""

import io
import pickle
import random
import struct
import zipfile

import numpy as np
import pytest

from fernwood.backbones._torch_weights import read_torch_weights

MAGIC = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value):
    return b"\x8a\x09" + value.to_bytes(9, "little", signed=True)


def numbers(values):
    return b"(" + b"".join(map(number, values)) + b"t"


def whole(*parts):
    """A pickle of the given instructions."""
    return b"\x80\x02" + b"".join(parts) + b"."


def tensor(key, count, offset, shape, strides, kind="FloatStorage"):
    stored = b"(" + text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text("cpu") + number(count) + b"tQ"
    return REBUILD + b"(" + stored + number(offset) + numbers(shape) + numbers(strides) + b"\x89NtR"


# Name, shape, strides, numbers of the storage, offset.
TENSORS = (
    ("weight", (2, 3), (3, 1), (1, 2, 3, 4, 5, 6), 0),
    ("transposed", (3, 2), (1, 3), (1, 2, 3, 4, 5, 6), 0),
    ("part", (2,), (1,), (7, 8, 9, 10), 2),
    ("scalar", (), (), (11,), 0),
    ("empty", (0, 4), (4, 1), (), 0),
)


def state(tensors=TENSORS):
    entries = [text(name) + tensor(str(i), len(values), at, shape, strides) for i, (name, shape, strides, values, at) in enumerate(tensors)]
    return b"ccollections\nOrderedDict\n)R(" + b"".join(entries) + b"u"


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def zipped(files, method=zipfile.ZIP_STORED):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(f"s/{name}", content)
    return written.getvalue()


def archive(tensors=TENSORS, content=None):
    storages = {f"data/{i}": floats(values) for i, (*_, values, _) in enumerate(tensors)}
    return zipped({"data.pkl": content or whole(state(tensors)), **storages, "version": "3\n"})


def legacy(tensors=TENSORS, content=None, system=b"}"):
    keys = whole(b"](", *(text(str(i)) for i in range(len(tensors))), b"e")
    storages = [struct.pack("<q", len(values)) + floats(values) for *_, values, _ in tensors]
    return MAGIC + whole(number(1001)) + whole(system) + (content or whole(state(tensors))) + keys + b"".join(storages)


def refusal(content):
    with pytest.raises(ValueError, match="^w.pth ") as refused:
        read_torch_weights(content, "w.pth")
    return str(refused.value)


@pytest.mark.parametrize("content", [legacy(), archive()], ids=["legacy", "archive"])
def test_both_formats_give_the_tensors(content):
    found = read_torch_weights(content, "w.pth")
    wanted = {"weight": [[1, 2, 3], [4, 5, 6]], "transposed": [[1, 4], [2, 5], [3, 6]], "part": [9, 10], "scalar": 11, "empty": np.empty((0, 4))}
    assert set(found) == set(wanted)
    for name, values in wanted.items():
        assert found[name].values.typecode == "f"
        np.testing.assert_array_equal(np.reshape(found[name].values, found[name].shape), values)


@pytest.mark.parametrize(
    "kind, content, wanted",
    [
        ("HalfStorage", b"\x00\x3e\x01\x80", [1.5, -1.0 / (1 << 24)]),
        ("BFloat16Storage", b"\x80\x3f\x00\xc0", [1, -2]),
        ("DoubleStorage", struct.pack("<2d", 0.1, -3), [np.float32(0.1), -3]),
        ("LongStorage", struct.pack("<2q", 5, -1), [5, -1]),
        ("IntStorage", struct.pack("<2i", 5, -2), [5, -2]),
    ],
)
def test_numbers_of_other_types_become_floats(kind, content, wanted):
    file = zipped({"data.pkl": whole(b"}", text("x"), tensor("0", 2, 0, (2,), (1,), kind), b"s"), "data/0": content})
    np.testing.assert_array_equal(read_torch_weights(file, "w.pth")["x"].values, wanted)


def test_parameters_and_a_dictionary_inside_one_are_found():
    parameter = b"ctorch._utils\n_rebuild_parameter\n(" + tensor("0", 2, 0, (2,), (1,)) + b"\x88}tR"
    inside = whole(b"}", text("state_dict"), b"}", text("x"), parameter, b"ss", text("epoch"), number(7), b"s")
    np.testing.assert_array_equal(read_torch_weights(archive((("x", (2,), (1,), (5, 6), 0),), inside), "w.pth")["x"].values, [5, 6])


def test_attributes_of_dictionaries_are_ignored():
    """Every state_dict() has one, and `keys` would replace a function of the dictionary."""
    content = whole(state(), b"}", text("_metadata"), b"}s", text("keys"), number(3), b"sb")
    assert len(read_torch_weights(archive(content=content), "w.pth")) == len(TENSORS)


@pytest.mark.parametrize("function", [("os", "system"), ("builtins", "eval"), ("torch", "load"), ("collections", "OrderedDictX"), ("torch", "_utils")])
@pytest.mark.parametrize("by_stack", [False, True])
def test_no_function_is_called_and_none_but_those_of_weights_may_be_named(function, by_stack, tmp_path):
    named = text(function[0]) + text(function[1]) + b"\x93" if by_stack else b"c" + "\n".join(function).encode() + b"\n"
    content = whole(named, b"(", text(f"touch {tmp_path}/owned"), b"tR")
    for file in (legacy((), content), archive((), content), content):
        assert f"names the function {'.'.join(function)}, which no dictionary of weights needs" in refusal(file)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("instruction", [b"i", b"o", b"\x81", b"\x92", b"\x82\x01", b"P0\n", b"2", b"0", b"\x8e" + bytes(8), b"\x96" + b"\xff" * 8])
def test_instructions_that_build_no_weights_are_refused(instruction):
    refusal(legacy((), whole(b"}", instruction)))
    refusal(archive((), whole(b"}", instruction)))


REFUSED = {
    "not enough numbers": (5, 0, (2, 3), (3, 1)),
    "an offset": (2, 1, (2,), (1,)),
    "a stride": (2, 0, (2,), (1 << 30,)),
    "many shared numbers": (1, 0, (1 << 30, 1 << 30), (0, 0)),
    "more strides than sizes": (2, 0, (2,), (1, 1)),
    "fewer strides than sizes": (2, 0, (1, 2), (1,)),
    "a product of 2**64": (1, 0, (65536,) * 4, (0,) * 4),
    "a place that wraps": (1, 0, (5, *(2**31 - 1,) * 4), (0, 4, 4, 4, 4)),
    "a stride that wraps": (2, 0, (5,), (1 << 62,)),
    "a negative stride": (2, 1, (2,), (-1,)),
    "a negative offset": (2, -1, (2,), (1,)),
    "a negative size": (2, 0, (-2, -1), (1, 1)),
}


@pytest.mark.parametrize("count, offset, shape, strides", REFUSED.values(), ids=REFUSED)
def test_tensors_that_leave_their_numbers_are_refused(count, offset, shape, strides):
    content = whole(b"}", text("x"), tensor("0", count, offset, shape, strides), b"s")
    stored = (("x", (), (), (1.0,) * count, 0),)
    for file in (legacy(stored, content), archive(stored, content)):
        assert "is damaged" in refusal(file)


def test_a_count_that_the_file_does_not_have_is_refused():
    content = whole(b"}", text("x"), tensor("0", 1 << 62, 0, (1 << 31,), (1,)), b"s")
    stored = (("x", (), (), (1.0,), 0),)
    for file in (legacy(stored, content), archive(stored, content)):
        assert "is damaged" in refusal(file)


def test_numbers_that_are_shared_do_not_make_a_small_file_large():
    assert read_torch_weights(archive((("x", (2, 100), (0, 1), (1.0,) * 100, 0),)), "w.pth")["x"].shape == (2, 100)
    refusal(archive((("x", (100, 100, 100), (0, 0, 1), (1.0,) * 100, 0),)))


HOSTILE = {
    "an index of memory": b"}r\xff\xff\xff\x7f",
    "many instructions": b"}" + b"N0" * 100_000,
    "a key of a million tuples": b"})" + b"\x85" * 1_000_000 + b"Ns",
    "many arguments": b"K\1q\0(" + b"h\0" * 20_000 + b"tq\1" + REBUILD + b"q\2" + b"h\2h\1R" * 3000,
    "a dictionary in itself": b"}q\0" + text("state_dict") + b"h\0s" + text("x") + b"h\0s" + b"(h\0tQ",
    "attributes of a function": REBUILD + b"}" + text("__code__") + number(1) + b"sb",
    "attributes of a tensor": tensor("0", 1, 0, (), ()) + b"}" + text("offset") + number(1) + b"sb",
    "no storage": b"}" + text("x") + REBUILD + b"(NNNNtRs",
    "a string called": text("x") + b")R",
    "no tuple of arguments": REBUILD + b"NR",
}


@pytest.mark.parametrize("instructions", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pickles_are_refused_with_little_memory(instructions):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for file in (legacy((), whole(instructions)), archive((), whole(instructions))):
        refusal(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # KiB


@pytest.mark.parametrize("content", [legacy(), archive()], ids=["legacy", "archive"])
def test_truncated_anywhere_it_is_refused(content):
    for size in range(len(content)):
        refusal(content[:size])


@pytest.mark.parametrize("content", [legacy(), archive()], ids=["legacy", "archive"])
def test_any_byte_may_be_damaged(content):
    chance = random.Random(1)
    for i in range(len(content)):
        for change in (1, 0x80, 0xFF, chance.randrange(1, 256)):
            damaged = bytearray(content)
            damaged[i] ^= change
            try:
                read_torch_weights(bytes(damaged), "w.pth")
            except ValueError as error:
                assert str(error).startswith("w.pth ")


def test_files_of_big_endian_machines_are_refused():
    content = {"data.pkl": whole(b"}", text("x"), tensor("0", 1, 0, (), ()), b"s"), "data/0": floats((1,))}
    assert set(read_torch_weights(zipped({**content, "byteorder": "little"}), "w.pth")) == {"x"}
    assert "big-endian" in refusal(zipped({**content, "byteorder": "big"}))
    assert len(read_torch_weights(legacy(system=b"}" + text("little_endian") + b"\x88s"), "w.pth")) == len(TENSORS)
    assert "big-endian" in refusal(legacy(system=b"}" + text("little_endian") + b"\x89s"))


def test_it_says_what_is_wrong():
    assert "compressed" in refusal(zipped({"data.pkl": whole(state()) * 100}, zipfile.ZIP_DEFLATED))
    assert "an archive without data.pkl" in refusal(zipped({"weights": "x"}))
    assert "is damaged" in refusal(zipped({"data.pkl": whole(state())}))
    assert "is not a file of torch.save()" in refusal(pickle.dumps({"a": 1}, protocol=2))
    value = tensor("0", 1, 0, (), ())
    for root in (number(3), b"}", b"}" + text("x") + number(3) + b"s", b"}" + number(3) + value + b"s", b"}X\3\0\0\0\xed\xa0\x80" + value + b"s"):
        assert "is not a dictionary of weights" in refusal(legacy((), whole(root)))
    for content in (b"", b"P", b"PK\x03\x04", b"\x80", b"\x80\x02."):
        assert "get it again" in refusal(content)
