import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { element } from './browser.mjs';
import { STEPS, state } from '/state.js';
import { fit, move, placeOf, stepsAt, zoomAt } from '/view.js';

beforeEach(() => {
  Object.assign(state, { image: { width: 640, height: 480 }, labels: null, depth: null, uncertainty: null, classes: [] });
  element('beside').checked = false;
  fit();
});

test('a frame that fits stands in the middle', () => {
  const middle = stepsAt([400, 300]);
  assert.deepEqual(middle, [320 * STEPS, 240 * STEPS]);
  const [left, top] = stepsAt([0, 0]);
  assert.ok(left < 0 && top < 0, 'a margin is left');
});

test('zooming keeps the place that is pointed at', () => {
  for (const factor of [1.25, 3, 0.2, 100, 0.0001]) {
    const place = [123, 456], before = stepsAt(place);
    zoomAt(place, factor);
    const after = stepsAt(place);
    assert.ok(Math.abs(after[0] - before[0]) <= 1 && Math.abs(after[1] - before[1]) <= 1, `by ${factor}: ${before} became ${after}`);
  }
});

test('moving moves by pixels of the screen', () => {
  const before = stepsAt([100, 100]);
  move(7, -5);
  assert.deepEqual(stepsAt([107, 95]), before);
});

test('pictures beside each other: a place counts from the corner of its own', () => {
  element('beside').checked = true;
  fit();
  const own = placeOf({ clientX: 10, clientY: 20 });
  assert.deepEqual(own, [10, 20]);
  const other = placeOf({ clientX: 790, clientY: 590 });
  assert.ok(other[0] < 790 || other[1] < 590);
  assert.deepEqual(placeOf({ clientX: 5000, clientY: 5000 }), [5000, 5000], 'outside: from the first');
});
