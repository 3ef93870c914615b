import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { element } from './browser.mjs';
import { begin, hear } from '/carry.js';
import { state } from '/state.js';

const tiles = {};
const tile = (i) => tiles[i] ??= Object.assign(element(`tile${i}`), { querySelector: (part) => Object.assign(element(`${part}${i}`), { style: {} }) });

beforeEach(() => {
  element('frames').querySelector = (selector) => tile(+selector.match(/\d+/)[0]);
  const frame = (i) => ({ name: `f${i}`, strokes: i === 0 ? 2 : 0, carried: 0, is_carrying: false, uncertainty: null, is_done: false, labels_of: null });
  Object.assign(state, { frames: [0, 1, 2].map(frame), frame: 0 });
  begin({ can_carry: true });
});

test('nothing is counted until something is carried', () => {
  assert.equal(element('carry-count').hidden, true);
  assert.equal(element('carry').checked, false);
  begin({ can_carry: false });
  assert.equal(element('carry').disabled, true, 'without depth');
});

test('frames that labels come from and go to are counted, and their share of all pixels', () => {
  hear({ carrying: true, carrying_frame: null });
  hear({ carried: 1, share: 0.3, left: 1 });
  assert.equal(element('status').textContent, 'carrying labels: 1 frames are left …');
  hear({ carried: 2, share: 0.003, left: 0 });
  hear({ carried_all: true, left: 0 });
  assert.equal(element('carry').checked, true);
  assert.equal(element('carry-count').textContent, 'carried from 1 to 2, 10 % of all pixels');
  assert.equal(element('status').textContent, element('carry-count').textContent);
  assert.equal(tile(1).dataset.carried, '30 %');
  assert.equal(tile(2).dataset.carried, '< 1 %', 'a little is not nothing');
  hear({ carried: 1, share: 0, left: 0 });
  assert.equal('carried' in tile(1).dataset, false);
});

test('one frame alone shows as some of all', () => {
  hear({ carrying: true, carrying_frame: 0 });
  assert.equal(element('carry').checked, false);
  assert.equal(element('carry').indeterminate, true);
  assert.match(element('status').textContent, /f0/);
  hear({ carrying: false, carrying_frame: null });
  assert.equal(element('carry').indeterminate, false);
  assert.equal(element('carry-count').hidden, true);
});
