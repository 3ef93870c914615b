// The browser interfaces that the pages' modules use, so that Node can test their computations and state without a
// browser:
// node --import ./tests/page/unit/browser.mjs --test tests/page/unit. tests/page/*_test.py test the rendered pages.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

// "/state.js", "./state.js" between modules, is a file of src/teach/page, src/web/page or src/report/page; a suffix "?..." makes another copy of the
// module.
const root = new URL('../../../src/', import.meta.url);
const places = ['teach/page', 'web/page', 'report/page'].map((folder) => new URL(`${folder}/`, root).href);
register(`data:text/javascript,${encodeURIComponent(`
  import { existsSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  const places = ${JSON.stringify(places)};
  export async function resolve(name, context, next) {
    const [path, copy = context.parentURL && new URL(context.parentURL).search.slice(1)] = name.replace(/^[.]?[/]/, '').split('?');
    const file = name !== path && places.map((place) => new URL(path, place)).find((url) => existsSync(fileURLToPath(url)));
    if (!file) return next(name, context);
    return { url: file.href + (copy ? '?' + copy : ''), format: 'module', shortCircuit: true };
  }`)}`);
if (!places.every((place) => existsSync(fileURLToPath(place)))) throw new Error('the pages are not where they were');

class Element {
  constructor(id) { Object.assign(this, { id, value: '1', textContent: '', hidden: false, checked: false, dataset: {}, children: [], width: 800, height: 600, clientWidth: 800, clientHeight: 600 }); }
  classes = new Set();
  classList = {
    toggle: (name, on) => { on ? this.classes.add(name) : this.classes.delete(name); },
    contains: (name) => this.classes.has(name),
  };
  parentElement = { hidden: false };
  style = {};
  append(...children) { this.children.push(...children); }
  remove() {}
  addEventListener() {}
  setAttribute() {}
  getBoundingClientRect() { return { left: 0, top: 0, width: this.width, height: this.height }; }
  getContext() {
    const pen = { measureText: () => ({ width: 10 }), getImageData: (x, y, width, height) => ({ data: new Uint8ClampedArray(this.pixels ?? 4 * width * height) }) };
    return new Proxy(pen, { get: (known, name) => known[name] ?? (() => {}), set: (known, name, value) => { known[name] = value; return true; } });
  }
}
const elements = new Map();
export const element = (id) => {
  if (!elements.has(id)) elements.set(id, new Element(id));
  return elements.get(id);
};
globalThis.document = { getElementById: element, createElement: () => new Element(''), querySelector: () => null, body: element('body') };
globalThis.location = { href: 'http://localhost:1/token/', pathname: '/token/' };
globalThis.addEventListener = () => {};
globalThis.fetch = async () => ({ status: 405 });
globalThis.devicePixelRatio = 1;
globalThis.ResizeObserver = class { observe() {} };
globalThis.OffscreenCanvas = class extends Element {
  constructor(width, height) { super(''); Object.assign(this, { width, height }); }
};

const stored = new Map();
globalThis.sessionStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), clear: () => stored.clear() };

globalThis.crypto ??= (await import('node:crypto')).webcrypto;
