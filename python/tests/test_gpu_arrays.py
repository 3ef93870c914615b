# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Arrays on GPUs: refusals on any machine, and labels on machines with a GPU."""

import numpy as np
import pytest
from array_elsewhere import CUDA_MANAGED, ArrayElsewhere, there

import fernwood
from fernwood import _gpu
from fernwood.errors import DataError, DeviceError, FernwoodError, UsageError


@pytest.fixture(scope="module")
def frame(test_set):
    return test_set.frame(0)


def refused(error, match, forest, color, depth, **more):
    for call in (forest.predict, forest.predict_proba):
        if call == forest.predict_proba and "out" in more:
            continue
        with pytest.raises(error, match=match):
            call(color, depth, **more)


def test_a_predictor_on_the_cpu_refuses_arrays_of_a_gpu(forest, frame):
    color, depth = there(frame.color, 7), there(frame.depth, 7)
    refused(DeviceError, r"color lies on cuda:7, and the predictor labels on cpu; use .*cpu\(\)", forest, color, depth,
            device="cpu")
    refused(DeviceError, "depth lies on cuda:7", forest, None, depth, device="cpu")


def test_arrays_of_two_devices_are_refused(forest, frame):
    refused(DeviceError, "color lies on cuda:0 and depth in the memory of the host", forest, there(frame.color),
            frame.depth)
    refused(DeviceError, "color lies on cuda:0 and depth on cuda:1", forest, there(frame.color), there(frame.depth, 1))
    refused(DeviceError, "out lies in the memory of the host and the frame on cuda:0", forest, there(frame.color),
            there(frame.depth), out=np.zeros(frame.depth.shape, np.uint16))
    refused(DeviceError, "out lies on cuda:0", forest, frame.color, frame.depth,
            out=there(np.zeros(frame.depth.shape, np.uint16)))


def test_what_a_gpu_cannot_read_is_told(forest, frame):
    color, depth = there(frame.color), there(frame.depth)
    planes = ArrayElsewhere(np.ascontiguousarray(frame.color.transpose(2, 0, 1)).transpose(1, 2, 0))
    refused(UsageError, "color lies on cuda:0, .*contiguous", forest, planes, depth)
    refused(UsageError, "depth lies on cuda:0, .*contiguous", forest, color,
            ArrayElsewhere(np.asfortranarray(frame.depth)))
    refused(UsageError, "depth lies on cuda:0, .*contiguous", forest, color, ArrayElsewhere(frame.depth[::-1]))
    refused(UsageError, "depth has .*float64; use .*float32 in metres", forest, color, there(frame.depth / 1000))
    refused(UsageError, "color has .*uint16", forest, there(frame.color.astype(np.uint16)), depth)
    refused(UsageError, "scale one", forest, there(frame.color[:30]), depth)
    managed = ArrayElsewhere(frame.color, device_type=CUDA_MANAGED)
    refused(DeviceError, "color does not lie in the memory of the host or of an NVIDIA GPU", forest, managed, depth)


def test_an_encoder_reads_frames_of_the_host(train_set, frame):
    def grey(color, depth):
        return color[::4, ::4].mean(axis=-1)[np.newaxis]

    forest = fernwood.train(
        train_set, trees=1, features=10, samples_per_frame=50, backbone="none", encoder=grey, progress=False
    )
    refused(UsageError, "color lies on cuda:0, and the encoder .*grey reads frames in the memory of the host; pass maps on",
            forest, there(frame.color), there(frame.depth), encoder=grey)


def test_a_stream_of_frames_takes_arrays_of_the_host(forest, frame):
    with pytest.raises(DeviceError, match="frame 0: color does not lie in the memory of the host; use a copy"):
        list(forest.stream([(there(frame.color), there(frame.depth))]))


def test_streams_are_those_of_the_caller(frame):
    class Stream:
        cuda_stream = 4711

    color, depth = there(frame.color), there(frame.depth)
    assert _gpu.stream_for(color, depth, Stream()) == 4711
    assert color.streams == depth.streams == [4711]  # so these synchronise with the work that writes them
    assert _gpu.stream_for(color, None, None) == 0
    assert color.streams[1:] == [1]  # DLPack's number of the default stream
    assert _gpu.stream_for(color, None, 1) == 0
    with pytest.raises(UsageError, match="stream is 'x'"):
        _gpu.stream_for(color, None, "x")


def test_labels_are_written_to_an_array_that_is_given(forest, frame):
    expected = forest.predict(frame.color, frame.depth, camera=frame.camera)
    out = np.zeros(frame.depth.shape, np.uint16)
    assert forest.predict(frame.color, frame.depth, camera=frame.camera, out=out) is out
    assert np.array_equal(out, expected)
    wide = np.full((72, 100), 9, np.uint16)
    forest.predict(frame.color, frame.depth, camera=frame.camera, out=wide[:, 2:98])
    assert np.array_equal(wide[:, 2:98], expected) and (wide[:, :2] == 9).all() and (wide[:, 98:] == 9).all()
    locked = np.zeros(frame.depth.shape, np.uint16)
    locked.flags.writeable = False
    for wrong, match in [
        (np.zeros((72, 95), np.uint16), r"out has the shape \(72, 95\)"),
        (np.zeros((72, 96), np.int64), "out has .*int64; use .*uint16"),
        (np.zeros((96, 72), np.uint16).T, "out has 72 numbers from one pixel"),
        (np.zeros((72, 96), np.uint16)[::-1], "from row to row"),
        (locked, "out is .*not an array that can be written"),
        ("labels", "out is a str"),
    ]:
        with pytest.raises(UsageError, match=match):
            forest.predict(frame.color, frame.depth, camera=frame.camera, out=wrong)


def test_arrays_are_read_where_they_lie_or_copied_alike(forest, frame):
    expected = forest.predict(frame.color, frame.depth, camera=frame.camera)
    flipped = np.ascontiguousarray(frame.color[:, ::-1])[:, ::-1]
    wide = np.zeros((72, 120, 3), np.uint8)
    wide[:, 10:106] = frame.color
    odd = np.frombuffer(b"x" + frame.depth.tobytes(), np.uint8)[1:].view(np.uint16).reshape(frame.depth.shape)
    for color in (frame.color, flipped, wide[:, 10:106], np.asfortranarray(frame.color)):
        for depth in (frame.depth, frame.depth.astype(np.int16), np.asfortranarray(frame.depth), odd):
            assert np.array_equal(forest.predict(color, depth, camera=frame.camera), expected)


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    return torch


@pytest.fixture(scope="module")
def on_gpu(forest):
    if fernwood.available_devices() == ["cpu"]:
        pytest.skip("no GPU that fernwood can use")
    return fernwood.Predictor(forest, device="cuda:0", smooth=4)


def test_tensors_of_a_gpu_are_labelled_there(torch, on_gpu, test_set):
    for index in range(4):
        frame = test_set.frame(index)
        expected = on_gpu.predict(frame.color, frame.depth, camera=frame.camera)
        shares = on_gpu.predict_proba(frame.color, frame.depth, camera=frame.camera)
        color, depth = torch.from_numpy(frame.color).cuda(), torch.from_numpy(frame.depth).cuda()
        found = on_gpu.predict(color, depth, camera=frame.camera)
        assert isinstance(found, torch.Tensor) and found.is_cuda and found.dtype == torch.uint16
        assert np.array_equal(found.cpu().numpy(), expected)
        found = on_gpu.predict_proba(color, depth, camera=frame.camera)
        assert found.is_cuda and np.array_equal(found.cpu().numpy(), shares)
        metres = torch.where(depth.int() > 0, depth.float() / 1000, torch.nan)
        found = on_gpu.predict(color, metres, camera=frame.camera)
        assert np.array_equal(found.cpu().numpy(), expected)


def test_work_is_put_in_the_callers_stream(torch, on_gpu, test_set):
    frames = [test_set.frame(index % 4) for index in range(12)]
    expected = [on_gpu.predict(frame.color, frame.depth, camera=frame.camera) for frame in frames]
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    found = []
    for index, frame in enumerate(frames):
        with torch.cuda.stream(streams[index % 2]):
            color = torch.from_numpy(frame.color).pin_memory().cuda(non_blocking=True)
            depth = torch.from_numpy(frame.depth).pin_memory().cuda(non_blocking=True)
            found.append(on_gpu.predict(color, depth, camera=frame.camera).clone())  # the result's memory is reused
    torch.cuda.synchronize()
    assert all(np.array_equal(a.cpu().numpy(), b) for a, b in zip(found, expected))


def test_a_tensor_is_given_for_labels(torch, on_gpu, frame):
    expected = on_gpu.predict(frame.color, frame.depth, camera=frame.camera)
    color, depth = torch.from_numpy(frame.color).cuda(), torch.from_numpy(frame.depth).cuda()
    wide = torch.zeros((72, 100), dtype=torch.uint16, device="cuda")
    out = wide[:, 2:98]
    assert on_gpu.predict(color, depth, camera=frame.camera, out=out) is out
    assert np.array_equal(out.cpu().numpy(), expected)
    part = torch.from_numpy(np.ascontiguousarray(np.pad(frame.color, ((0, 0), (3, 5), (0, 0))))).cuda()[:, 3:99]
    assert np.array_equal(on_gpu.predict(part, depth, camera=frame.camera).cpu().numpy(), expected)


def test_an_answer_outlives_its_predictor(torch, on_gpu, forest, frame):
    predictor = fernwood.Predictor(forest, device="cuda:0")
    color, depth = torch.from_numpy(frame.color).cuda(), torch.from_numpy(frame.depth).cuda()
    found = predictor.predict(color, depth, camera=frame.camera)
    expected = predictor.predict(frame.color, frame.depth, camera=frame.camera)
    del predictor
    assert np.array_equal(found.cpu().numpy(), expected)


def test_a_gpu_refuses_what_does_not_lie_there(torch, on_gpu, frame):
    with pytest.raises(FernwoodError, match="lies in the memory of the host, and the predictor labels on cuda:0"):
        on_gpu.predict(there(frame.color), there(frame.depth), camera=frame.camera, stream=0)
    with pytest.raises(DataError, match="no depth"):
        on_gpu.predict(torch.from_numpy(frame.color).cuda(), camera=frame.camera)


def test_cupy_is_answered_in_cupy(on_gpu, frame):
    cupy = pytest.importorskip("cupy")
    color, depth = cupy.asarray(frame.color), cupy.asarray(frame.depth)
    found = on_gpu.predict(color, depth, camera=frame.camera)
    assert isinstance(found, cupy.ndarray)
    expected = on_gpu.predict(frame.color, frame.depth, camera=frame.camera)
    assert np.array_equal(cupy.asnumpy(found), expected)
