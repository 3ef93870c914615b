import assert from 'node:assert/strict';
import { test } from 'node:test';
import './browser.mjs';
import { RECORD, cameraOf, certaintyColor, classOf, distanceFor, extentOf, firstView, pan, placeOf, seeWhole, shownColors, turn, unpack, zoom } from '/map.js';

// Packs points as the program does.
function packed(points) {
  const bytes = Buffer.alloc(RECORD * points.length);
  points.forEach(({ place, label = 0, color = [1, 2, 3], probability = 255 }, i) => {
    place.forEach((x, axis) => bytes.writeUInt16LE(x, RECORD * i + 2 * axis));
    bytes.writeUInt16LE(label, RECORD * i + 6);
    bytes.set([...color, probability], RECORD * i + 8);
  });
  return bytes.toString('base64');
}

// Position of a place in metres on the screen, from -1 to 1, and its depth.
function projected({ matrix }, place) {
  const [x, y, z, w] = [0, 1, 2, 3].map((row) => [...place, 1].reduce((all, part, column) => all + part * matrix[4 * column + row], 0));
  return { x: x / w, y: y / w, depth: z / w, w };
}

test('points are what was packed', () => {
  const points = unpack(`\n${packed([{ place: [0, 65535, 258], label: 7 }, { place: [1, 2, 3], label: 65535 }])}\n`);
  assert.equal(points.count, 2);
  assert.deepEqual(placeOf(points, 0), [0, 65535, 258]);
  assert.deepEqual(placeOf(points, 1), [1, 2, 3]);
  assert.deepEqual([classOf(points, 0), classOf(points, 1)], [7, 65535]);
  assert.equal(unpack('').count, 0);
});

test('points show by class, colour or probability, and hidden classes not at all', () => {
  const points = unpack(packed([{ place: [0, 0, 0], label: 1, color: [9, 8, 7], probability: 0 }, { place: [0, 0, 0], label: 65535 }]));
  const colors = [[1, 1, 1], [20, 30, 40]], none = new Set();
  assert.deepEqual([...shownColors(points, colors, 'class', none)], [20, 30, 40, 255, 128, 128, 128, 255]);
  assert.deepEqual([...shownColors(points, colors, 'color', none)].slice(0, 4), [9, 8, 7, 255]);
  assert.deepEqual([...shownColors(points, colors, 'probability', none)], [...certaintyColor(0), 255, ...certaintyColor(1), 255]);
  assert.deepEqual([...shownColors(points, colors, 'class', none, true)], [20, 30, 40, 255, 65, 65, 65, 255], 'its own colour, dimmed, where no class is');
  assert.equal(shownColors(points, colors, 'class', new Set([1]))[3], 0);
  assert.equal(shownColors(points, colors, 'class', new Set([1]))[7], 255);
});

test('colours of probabilities rise in brightness', () => {
  const brightness = [0, 0.2, 0.4, 0.6, 0.8, 1].map((p) => certaintyColor(p).reduce((a, b) => a + b));
  assert.deepEqual(brightness, [...brightness].sort((a, b) => a - b));
  assert.deepEqual(certaintyColor(7), certaintyColor(1));
});

test('a few points far away do not move the middle', () => {
  const room = Array.from({ length: 1000 }, (_, i) => ({ place: [1000 + i % 10, 2000 + Math.floor(i / 10) % 10, 3000 + Math.floor(i / 100)] }));
  const { middle, radius } = extentOf(unpack(packed([{ place: [65535, 0, 65535] }, ...room])));
  middle.forEach((x, axis) => assert.ok(Math.abs(x - (axis + 1) * 1000 - 4.5) <= 1, `${middle}`));
  assert.ok(radius > 4 && radius < 10, `${radius}`);
  assert.ok(extentOf(unpack(packed([{ place: [5, 5, 5] }]))).radius > 0, 'also of one point');
});

test('the middle is in the middle, up is up, and what is nearer is nearer', () => {
  const ups = { '+x': [1, 0, 0], '-x': [-1, 0, 0], '+y': [0, 1, 0], '-y': [0, -1, 0], '+z': [0, 0, 1], '-z': [0, 0, -1] };
  for (const [up, above] of Object.entries(ups)) for (const yaw of [0, 1, -2]) {
    const view = { ...firstView(up, 2), yaw }, camera = cameraOf(view, 800, 600, 2), middle = projected(camera, [0, 0, 0]);
    assert.ok(Math.hypot(middle.x, middle.y) < 1e-9 && Math.abs(middle.depth) < 1);
    assert.ok(Math.abs(middle.w - view.distance) < 1e-9);
    const top = projected(camera, above);
    assert.ok(top.y > 0.05 && Math.abs(top.x) < 1e-9, up);
    const towards = projected(camera, camera.eye.map((x) => x / 2));
    assert.ok(towards.depth < middle.depth && towards.depth > -1, 'depth rises with distance');
    const [a, b, c] = camera.axes;
    const volume = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    assert.ok(Math.abs(volume - 1) < 1e-9, 'nothing is mirrored');
  }
});

test('the whole map fits the screen, upright and across', () => {
  for (const [width, height] of [[800, 600], [400, 900]]) {
    const camera = cameraOf(firstView('-y', 3), width, height, 3);
    for (const axis of camera.axes) for (const way of [-3, 3]) {
      const { x, y, depth } = projected(camera, axis.map((part) => way * part));
      assert.ok(Math.abs(x) <= 1.1 && Math.abs(y) <= 1.1 && Math.abs(depth) <= 1);
    }
  }
});

test('a floor that is no axis lies level', () => {
  const up = [0.6, 0, 0.8], camera = cameraOf(firstView(up, 2), 800, 600, 2), top = projected(camera, up);
  assert.ok(top.y > 0.05 && Math.abs(top.x) < 1e-9);
  const [a, b, c] = camera.axes;
  assert.ok([0, 1, 2].every((i) => Math.abs(a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] - c[i]) < 1e-9));
});

test('the room fills the screen from all sides, whatever speckles there are', () => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? 3 : -3, i & 2 ? 1 : -1, i & 4 ? 2 : -2]);
  const room = Array.from({ length: 50 }, () => corners).flat();
  for (const [width, height] of [[1200, 600], [400, 900]]) {
    const view = firstView('-y', 4);
    view.distance = distanceFor([...room, [90, 0, 0]], view, width, height);
    let most = 0;
    for (view.yaw = 0; view.yaw < 6; view.yaw += Math.PI / 6)
      for (const corner of corners) {
        const { x, y } = projected(cameraOf(view, width, height, 4), corner);
        most = Math.max(most, Math.abs(x), Math.abs(y));
      }
    assert.ok(most > 0.9 && most <= 1, `${most}`);
  }
});

test('turning stops above and below, zooming and moving keep their measure', () => {
  const view = firstView('-y', 2);
  turn(view, 0, 10);
  assert.ok(view.pitch < Math.PI / 2);
  const before = view.distance;
  zoom(view, 0.5, 2);
  assert.equal(view.distance, before / 2);
  zoom(view, 1e9, 2);
  assert.equal(view.distance, 40);
  const place = projected(cameraOf(view, 600, 600, 2), [0, 0, 0]);
  pan(view, 1, 2);
  const camera = cameraOf(view, 600, 600, 2), moved = projected(camera, [0, 0, 0]);
  assert.ok(Math.abs((moved.x - place.x) * 300 * view.distance / camera.perMetre - 1) < 1e-6, 'a metre to the right');
  assert.ok(Math.abs((moved.y - place.y) * 300 * view.distance / camera.perMetre - 2) < 1e-6, 'two up');
});

test('a map that has grown is seen whole, from where it was seen', () => {
  const view = firstView('+z', 2);
  turn(view, 0.3, -0.2);
  const grown = seeWhole(view, 5);
  assert.deepEqual([grown.up, grown.yaw, grown.pitch], ['+z', view.yaw, view.pitch]);
  assert.equal(grown.distance, firstView('+z', 5).distance);
});
