import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { element } from './browser.mjs';
import '/map.js';
import { begin, followFrame, hear, toggle } from '/map_panel.js';
import { connect, sayAgain } from '/server.js';
import { state } from '/state.js';

// One connection, and the messages about maps that it has sent since the last call.
connect(() => {});
const socket = WebSocket.opened.at(-1);
sayAgain();
const said = () => socket.sent.splice(0).filter((message) => ['map', 'leave_map'].includes(message.do));
const turns = () => new Promise((resolve) => setImmediate(resolve));
async function until(isSo) {
  for (let i = 0; i < 1000 && !isSo(); ++i) await turns();
  assert.ok(isSo());
}

mock.timers.enable({ apis: ['setTimeout'] });
globalThis.fetch = async () => ({ ok: true, arrayBuffer: async () => new ArrayBuffer(0), text: async () => '' });
element('map-news').insertAdjacentHTML = () => {};
Object.assign(element('map-classes'), { replaceChildren: (...lines) => { element('map-classes').children = lines; } });
element('map-view').getContext = () => null; // without WebGL; the number and the legend are shown all the same
const map = (room) => ({ map: { room, number: 1, points: 4, shown: 4, labelled: 1, classes: [[0, 1], [5, 0]], frames: 1, left_out: 0, refused: 0 } });

async function answered(answer = { done: true }) {
  const asked = said();
  for (const { id } of asked) socket.hear({ id, ...answer });
  await turns();
  return asked;
}

beforeEach(async () => {
  Object.assign(state, { frames: ['kitchen', 'kitchen', 'hall', null].map((room) => ({ room })), frame: 0, classes: [{ class: 0, name: 'floor', color: [1, 2, 3] }] });
  if (!element('map-panel').hidden) toggle();
  mock.timers.tick(1e6);
  await answered();
});
element('map-panel').hidden = true;

test('a map is asked for when it is opened, and again when labels are others, not while it is made', async () => {
  hear({ truth: 0 });
  mock.timers.tick(5000);
  assert.deepEqual(said(), [], 'nobody looks');
  toggle();
  assert.deepEqual((await answered()).map((one) => [one.do, one.frame]), [['map', 0]]);
  hear({ truth: 0 });
  hear({ carried: 1, share: 0.1, left: 0 });
  mock.timers.tick(1e6);
  assert.deepEqual(said(), [], 'one is made');
  hear(map('kitchen'));
  await until(() => element('map-share').textContent === '25 % of the surface is labelled');
  assert.deepEqual(element('map-classes').children.map((line) => line.children[0].children.at(-1)), ['floor 25 %', 'not labelled 75 %']);
  mock.timers.tick(1e6);
  assert.equal((await answered()).length, 1, 'the change came meanwhile');
  hear(map('kitchen'));
  await turns();
  mock.timers.tick(1e6);
  assert.deepEqual(said(), [], 'nothing has changed');
});

test('it follows the frame into another room, and stays where a frame has no pose', async () => {
  toggle();
  await answered();
  Object.assign(state, { frame: 1 });
  followFrame();
  Object.assign(state, { frame: 3 });
  followFrame();
  assert.deepEqual(said(), []);
  Object.assign(state, { frame: 2 });
  followFrame();
  assert.deepEqual((await answered()).map((one) => one.frame), [2]);
  element('map-share').textContent = '';
  hear(map('kitchen'));
  await turns();
  assert.equal(element('map-share').textContent, '', 'of the room before');
});

test('it is given up when it is closed, and asked for again after the connection was lost', async () => {
  toggle();
  begin();
  assert.equal((await answered()).length, 1, 'what was not answered is said again in any case');
  begin();
  assert.deepEqual((await answered()).map((one) => one.do), ['map']);
  toggle();
  assert.deepEqual((await answered()).map((one) => one.do), ['leave_map']);
  assert.equal(element('map-panel').hidden, true);
});

test('where there is none, the panel closes', async () => {
  toggle();
  await answered({ failed: 'no poses' });
  assert.equal(element('map-panel').hidden, true);
  assert.deepEqual(said(), []);
});
