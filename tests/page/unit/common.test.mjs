import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import './browser.mjs';
import * as common from '/common.js';

test('shares are whole percent, or have as many digits as asked, and a little is not nothing', () => {
  assert.deepEqual([0, 0.004, 0.01, 0.126, 1].map((share) => common.percent(share)), ['0 %', '< 1 %', '1 %', '13 %', '100 %']);
  assert.deepEqual([0, 0.0004, 0.126, 1].map((share) => common.percent(share, 1)), ['0.0 %', '< 0.1 %', '12.6 %', '100.0 %']);
});

test('what pages have in common is defined once', () => {
  const folders = ['web', 'teach', 'report'].map((name) => new URL(`../../../src/${name}/page/`, import.meta.url));
  const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => new URL(name, folder)));
  for (const name of Object.keys(common)) {
    const definition = new RegExp(`(const|let|function) ${name.replace('$', '\\$')}(?![\\w$])`);
    assert.deepEqual(files.filter((file) => definition.test(readFileSync(file, 'utf8'))).map((file) => file.pathname.split('/').at(-1)), ['common.js'], name);
  }
});
