// The classes: choosing the one to draw, and editing their names and colours.
import { $ } from './common.js';
import { setAccepting, showAccept } from './accept.js';
import { choose } from './drawing.js';
import { say } from './server.js';
import { colorOf, icon, state, tell } from './state.js';
import { eye, followClass } from './visibility.js';

const LOCKED = '<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/>';
const UNLOCKED = '<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V4a3 3 0 0 1 6-1"/>';
const CHOSEN = `chosen-class${location.pathname}`;
let changed = null;          // the class edited in the dialog
let gone = [];               // merged or deleted classes
let offered = [];            // those of the data, as suggestions for new ones
let nextColor = [0, 0, 0];
let isColorChosen = false;   // by the user, for the new class
let isBegun = false;

export function hear(message) {
  if (message.classes) {
    gone = message.gone;
    nextColor = message.next_color;
    offered = message.offered ?? offered;
    showColor();
    follow(message.classes);
    showClasses(message.classes);
    showGone();
    const names = offered.map((one) => one.name).filter((name) => !message.classes.some((one) => one.name === name));
    $('class-names').replaceChildren(...names.map((name) => new Option(name, name)));
  }
  const what = message.asked?.do;
  if (what === 'add_class') hearAdded(message);
  if (what === 'change_class' && message.failed) openSheet(message.asked, message.failed);
  if (['merge', 'delete_class', 'restore_class'].includes(what) && message.done) offerBack(message.asked);
}

// Keeps the chosen class, or switches to the class that it was merged into; never chooses another.
function follow(classes) {
  const isLive = (number) => classes.some((one) => one.class === number);
  if (!isBegun) state.chosen = JSON.parse(sessionStorage.getItem(CHOSEN));
  if (!isBegun && typeof state.chosen !== 'string' && !isLive(state.chosen)) state.chosen = classes[0]?.class ?? null;
  isBegun = true;
  if (typeof state.chosen === 'string' || state.chosen === null || isLive(state.chosen)) return;
  const lost = gone.find((one) => one.class === state.chosen);
  let now = lost;
  while (now && now.into !== null && !isLive(now.into)) now = gone.find((one) => one.class === now.into);
  state.chosen = now?.into ?? null;
  if (state.chosen === null) tell(`${lost?.name ?? 'the class'} was deleted; choose a class`, true);
}

export function showClasses(classes) {
  state.classes = classes;
  sessionStorage.setItem(CHOSEN, JSON.stringify(state.chosen));
  const buttons = () => [...$('classes').querySelectorAll('button')], focused = buttons().findIndex((one) => one.matches(':focus-visible'));
  $('classes').replaceChildren(...classes.map(row));
  buttons()[focused]?.focus();
  followClass();
  showAccept();
}

function row(one, i) {
  const item = document.createElement('li'), swatch = document.createElement('span');
  swatch.className = 'swatch';
  swatch.style.background = colorOf(one.class);
  const take = button('choose', `${one.name}: draw it; a double click renames it`, () => give(i));
  take.ariaPressed = String(one.class === state.chosen);
  take.append(swatch, Object.assign(document.createElement('span'), { textContent: one.name }));
  take.append(Object.assign(document.createElement('kbd'), { textContent: keyOf(i) }));
  const lock = button('', `Lock ${one.name}: strokes of other classes do not change it`, () => say({ do: 'lock', class: one.class, locked: !one.locked }));
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

// 1 to 9, with Shift the next nine, then /19 and so on.
const keyOf = (i) => i < 9 ? `${i + 1}` : i < 18 ? `⇧${i - 8}` : `/${i + 1}`;

export function give(index) {
  if (!state.classes[index]) return tell(`there is no class ${index + 1}; there are ${state.classes.length}`, true);
  chooseClass(state.classes[index].class);
}

function chooseClass(chosen) {
  state.chosen = state.begun = chosen;
  setAccepting(false);
  if (state.tool === 'eraser') choose('brush');
  showClasses(state.classes);
}

// ---- Name, colour, merging ----

const hex = (color) => '#' + color.map((value) => value.toString(16).padStart(2, '0')).join('');
const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));

const nameOf = (number) => [...state.classes, ...gone].find((one) => one.class === number)?.name ?? `class ${number}`;

function openSheet(one, problem = '') {
  changed = state.classes.find((known) => known.class === one.class);
  if (!changed) return;
  $('changed-name').value = one.name;
  $('changed-color').value = hex(one.color);
  $('sheet-problem').textContent = problem;
  $('merge-into').replaceChildren(new Option('no other class', ''),
    ...state.classes.filter((other) => other !== changed).map((other) => new Option(other.name, other.class)));
  $('class-sheet').returnValue = '';
  $('class-sheet').showModal();
  $('changed-name').select();
}

$('class-sheet').onclose = () => {
  const what = $('class-sheet').returnValue, number = changed.class;
  const name = $('changed-name').value, color = rgb($('changed-color').value), into = $('merge-into').value;
  if (what === 'delete') return confirmed(number, 'Delete', '', { do: 'delete_class', class: number });
  if (what !== 'change') return;
  if (into !== '') return confirmed(number, 'Merge', ` into ${nameOf(+into)}`, { do: 'merge', class: number, into: +into });
  if (name !== changed.name || hex(color) !== hex(changed.color)) say({ do: 'change_class', class: number, name, color });
};

// ---- Merging, deleting, restoring ----

let toSay = null; // message to send on confirmation

async function confirmed(number, verb, where, message) {
  const { num_strokes: strokes, num_frames: frames, failed } = await say({ do: 'count_strokes', class: number });
  if (failed) return;
  const some = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  $('confirm-text').textContent = `${verb} ${nameOf(number)} (${some(strokes, 'stroke')} on ${some(frames, 'frame')})${where}?`;
  $('confirm-yes').textContent = verb;
  toSay = message;
  $('confirm-sheet').returnValue = '';
  $('confirm-sheet').showModal();
}

$('confirm-sheet').onclose = () => { if ($('confirm-sheet').returnValue === 'yes') say(toSay); };

function offer(sentence, word, action) {
  const back = button('', `${word}: ${sentence}`, action);
  back.textContent = word;
  $('class-offer').replaceChildren(`${sentence} `, back);
}

const restore = (number, before) => say({ do: 'restore_class', class: number, before });

function offerBack(request) {
  const name = nameOf(request.class), { before } = request;
  if (request.do === 'merge') offer(`${name} is merged into ${nameOf(request.into)}.`, 'Undo', () => restore(request.class, { do: 'merge', into: request.into }));
  else if (request.do === 'delete_class') offer(`${name} is deleted.`, 'Undo', () => restore(request.class, { do: 'delete_class' }));
  else if (before) offer(`${name} is back.`, 'Redo', () => say({ ...before, class: request.class }));
  else $('class-offer').replaceChildren();
}

function showGone() {
  $('gone').hidden = !gone.length;
  $('gone-classes').replaceChildren(...gone.map((one) => {
    const item = document.createElement('li'), back = button('', `Restore ${one.name}`, () => restore(one.class, one.into === null ? { do: 'delete_class' } : { do: 'merge', into: one.into }));
    back.textContent = 'Restore';
    item.append(one.into === null ? one.name : `${one.name}, in ${nameOf(one.into)}`, ' ', back);
    return item;
  }));
}

// ---- A new class ----

function showColor() {
  const known = offered.find((one) => one.name === $('class-name').value.trim());
  if (!isColorChosen) $('class-color').value = hex(known?.color ?? nextColor);
}

function addProblem(sentence) {
  $('class-problem').textContent = sentence;
  $('class-problem').hidden = !sentence;
}

$('new-class').onsubmit = (event) => {
  event.preventDefault();
  const name = $('class-name').value.trim();
  if (!name) return addProblem('A class needs a name.');
  if (state.classes.some((one) => one.name === name)) return addProblem(`There is a class ${name} already; give another name.`);
  const message = { do: 'add_class', name, ...isColorChosen && { color: rgb($('class-color').value) } };
  message.before = state.chosen;
  say(message);
  addProblem('');
  $('class-name').value = '';
  chooseClass(message.request); // later strokes use the new class, or none
};

function hearAdded({ asked, failed, class: number }) {
  if (failed) {
    if (!$('class-name').value) $('class-name').value = asked.name;
    addProblem(failed);
    if (state.chosen === asked.request) chooseAgain(asked.before);
    return;
  }
  isColorChosen = false;
  if (state.chosen !== asked.request) return;
  state.chosen = number; // a stroke in progress keeps its class
  showClasses(state.classes);
}

function chooseAgain(number) {
  state.chosen = state.classes.some((one) => one.class === number) ? number : null;
  showClasses(state.classes);
}

$('class-name').oninput = () => { addProblem(''); showColor(); };
$('class-color').oninput = () => { isColorChosen = true; addProblem(''); };

// ---- Choice by letters of the name or by the number, for projects with more classes than keys ----
const MOST_SHOWN = 8;

// Indices of matching classes; first those whose names begin with the text typed.
function picked() {
  const typed = $('pick-name').value.trim().toLowerCase(), all = state.classes.map((one, i) => [one.name.toLowerCase(), i]);
  const isNumber = ([, i]) => String(i + 1) === typed, begins = ([name]) => name.startsWith(typed), has = ([name]) => name.includes(typed);
  return [...new Set([isNumber, begins, has].flatMap((is) => all.filter(is)).map(([, i]) => i))];
}

function showPicked() {
  const indices = picked();
  $('pick-found').replaceChildren(...indices.slice(0, MOST_SHOWN).map((i) =>
    Object.assign(document.createElement('li'), { textContent: `${i + 1} ${state.classes[i].name}` })));
  $('pick-take').disabled = !indices.length;
}

export function pick() {
  if (!state.classes.length) return;
  $('pick-name').value = $('pick-sheet').returnValue = '';
  showPicked();
  $('pick-sheet').showModal();
}

$('pick-name').oninput = showPicked;
$('pick-sheet').onclose = () => { if ($('pick-sheet').returnValue === 'pick') give(picked()[0]); };
