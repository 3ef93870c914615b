import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { element } from './browser.mjs';
import * as common from '/common.js';

test('shares are whole percent, or have as many digits as asked, and a little is not nothing', () => {
  assert.deepEqual([0, 0.004, 0.01, 0.126, 1].map((share) => common.percent(share)), ['0 %', '< 1 %', '1 %', '13 %', '100 %']);
  assert.deepEqual([0, 0.0004, 0.126, 1].map((share) => common.percent(share, 1)), ['0.0 %', '< 0.1 %', '12.6 %', '100.0 %']);
});

test('a status is a problem or none', () => {
  common.showStatus('it hangs', true);
  assert.equal(element('status').textContent, 'it hangs');
  assert.equal(element('status').classList.contains('problem'), true);
  common.showStatus('it runs');
  assert.equal(element('status').classList.contains('problem'), false);
});

test('a socket that is lost is opened again after a second, and hears on', async () => {
  const waiting = [], sockets = [], heard = [], { setTimeout } = globalThis;
  let lost = 0;
  globalThis.setTimeout = (what, milliseconds, ...given) => waiting.push([() => what(...given), milliseconds]);
  try {
    common.openSocket((socket) => sockets.push(socket), (message) => heard.push(message.n), () => { lost += 1; });
    sockets[0].hear({ n: 1 });
    sockets[0].close();
    assert.equal(lost, 1);
    assert.equal(sockets.length, 1, 'not at once');
    assert.equal(waiting[0][1], 1000);
    await waiting[0][0]();
    sockets[1].hear({ n: 2 });
    assert.deepEqual(heard, [1, 2]);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test('a page that is refused says why, and one whose server is not there does not', async () => {
  const waiting = [], told = [], { setTimeout, fetch } = globalThis;
  const answers = [
    { status: 403, headers: new Headers({ 'Content-Type': 'text/plain' }), text: async () => 'open the printed address' },
    { status: 403, headers: new Headers({ 'Content-Type': 'text/html' }), text: async () => 'the login of a proxy' }];
  globalThis.setTimeout = (what) => waiting.push(what);
  globalThis.fetch = async () => answers.shift() ?? Promise.reject(new Error('nobody is there'));
  try {
    const sockets = [];
    common.openSocket((socket) => sockets.push(socket), () => {}, (why) => told.push(why));
    sockets[0].close();
    await waiting.shift()();
    assert.deepEqual(told, ['', 'open the printed address']);
    assert.equal(sockets.length, 1, 'none is tried');
    await waiting.shift()();
    sockets[1].close();
    await waiting.shift()();
    assert.equal(sockets.length, 3);
    assert.deepEqual(told, ['', 'open the printed address', '']);
  } finally {
    Object.assign(globalThis, { setTimeout, fetch });
  }
});

test('what pages have in common is defined once', () => {
  const folders = ['web', 'teach', 'report'].map((name) => new URL(`../../../src/${name}/page/`, import.meta.url));
  const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => new URL(name, folder)));
  for (const name of Object.keys(common)) {
    const definition = new RegExp(`(const|let|function) ${name.replace('$', '\\$')}(?![\\w$])`);
    assert.deepEqual(files.filter((file) => definition.test(readFileSync(file, 'utf8'))).map((file) => file.pathname.split('/').at(-1)), ['common.js'], name);
  }
});
