// The classes that are drawn: which one, and what they are called.
import { setAccepting, showAccept } from '/accept.js';
import { choose } from '/drawing.js';
import { say } from '/server.js';
import { $, colorOf, icon, state } from '/state.js';
import { eye, followClass } from '/visibility.js';

const FIRST_HUE = 173, GOLDEN_ANGLE = 137.5; // degrees; the second between the hues of two new classes
const LOCKED = '<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/>';
const UNLOCKED = '<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V4a3 3 0 0 1 6-1"/>';
let changed = null;         // the class that the sheet is about

export function showClasses(classes) {
  state.classes = classes;
  if (!classes.some((one) => one.class === state.gives)) state.gives = classes[0]?.class ?? null;
  $('classes').replaceChildren(...classes.map(row));
  followClass();
  showAccept();
}

function row(one, i) {
  const item = document.createElement('li'), swatch = document.createElement('span');
  swatch.className = 'swatch';
  swatch.style.background = colorOf(one.class);
  const take = button('choose', `${one.name}: draw it; a double click renames it`, () => give(i));
  take.ariaPressed = String(one.class === state.gives);
  take.append(swatch, Object.assign(document.createElement('span'), { textContent: one.name }));
  if (keyOf(i)) take.append(Object.assign(document.createElement('kbd'), { textContent: keyOf(i) }));
  const lock = button('', `Lock ${one.name}: strokes of others spare it`, () => say({ do: 'lock', class: one.class, locked: !one.locked }));
  lock.innerHTML = icon(one.locked ? LOCKED : UNLOCKED);
  lock.classList.add('icon');
  lock.ariaPressed = String(one.locked);
  const change = button('', `Change ${one.name}`, () => openSheet(one));
  change.textContent = '…';
  item.ondblclick = () => openSheet(one);
  item.append(take, eye(one), lock, change);
  return item;
}

function button(className, title, onclick) {
  return Object.assign(document.createElement('button'), { className, title, ariaLabel: title, onclick });
}

// 1 to 9, and with Shift the nine after them.
const keyOf = (i) => i < 9 ? `${i + 1}` : i < 18 ? `⇧${i - 8}` : '';

export function give(index) {
  if (!state.classes[index]) return;
  state.gives = state.classes[index].class;
  setAccepting(false);
  if (state.tool === 'eraser') choose('brush');
  showClasses(state.classes);
}

// ---- Name, colour, merging ----

const hex = (color) => '#' + color.map((value) => value.toString(16).padStart(2, '0')).join('');
const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));

function openSheet(one) {
  changed = one;
  $('changed-name').value = one.name;
  $('changed-color').value = hex(one.color);
  $('merge-into').replaceChildren(new Option('no other class', ''),
    ...state.classes.filter((other) => other !== one).map((other) => new Option(other.name, other.class)));
  $('class-sheet').showModal();
  $('changed-name').select();
}

$('class-sheet').onclose = () => {
  if ($('class-sheet').returnValue !== 'change') return;
  const name = $('changed-name').value, color = rgb($('changed-color').value), into = $('merge-into').value;
  if (into !== '') return say({ do: 'merge', class: changed.class, into: +into });
  if (name !== changed.name || hex(color) !== hex(changed.color)) say({ do: 'change_class', class: changed.class, name, color });
};

$('new-class').onsubmit = (event) => {
  event.preventDefault();
  say({ do: 'add_class', name: $('class-name').value, color: rgb($('class-color').value) });
  $('class-name').value = '';
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = `hsl(${(FIRST_HUE + (state.classes.length + 1) * GOLDEN_ANGLE) % 360} 60% 50%)`;
  $('class-color').value = probe.fillStyle;
};
