// Help beside the image: the frame to label next, the held-out accuracy of the forest, strokes that it contradicts, and
// the explanation of a pixel's class. Nothing is computed here.
import { $, percent } from './common.js';
import { look } from './frames.js';
import { say } from './server.js';
import { allow, state, tell } from './state.js';

let validations = [], ranked = [], least = 3, drawn = new Map(); // drawn: class -> number of frames
const kept = new Set(); // strokes confirmed by the user, whatever the forest predicts

export function hear(message) {
  if (message.project) ({ validations, next: ranked, frames_to_validate: least } = message.project);
  if (message.cleared) validations = [];
  if (message.drawn ?? message.project) drawn = new Map(message.drawn ?? message.project.drawn);
  if (message.validation) validations.push(message.validation);
  if (message.next) ranked = message.next;
  if (message.project || message.validation || message.classes || message.drawn) showValidation();
  allow($('next'), whyNoNext());
}

const next = () => ranked.find((frame) => frame !== state.frame);
function whyNoNext() {
  if (next() !== undefined) return null;
  if (ranked.length) return 'No next frame: all others are done';
  return 'No next frame yet: draw two classes, and wait until the model has labelled the frames';
}

export function goToNext() {
  if (next() !== undefined) look(next());
  else tell(whyNoNext());
}

// What is missing before the accuracy can be estimated.
function missing() {
  const short = state.classes.filter((one) => (drawn.get(one.class) ?? 0) < least);
  if (state.classes.length - short.length > 1) return 'Measured when you pause.';
  const counts = short.map((one) => `${one.name} ${drawn.get(one.class) ?? 0}`).join(', ');
  return `Needs strokes of two classes on at least ${least} frames each${counts ? ` (so far: ${counts})` : ''}.`;
}

function showValidation() {
  const last = validations.at(-1);
  if (!last) return $('validation').replaceChildren(note(missing()));
  const rows = state.classes.map((one) => [one, last.by_class[last.classes.indexOf(one.class)]]).filter(([, share]) => share !== undefined);
  $('validation').replaceChildren(
    note(`${percent(last.pixel_accuracy)} of pixels, ${percent(last.class_accuracy)} class mean`), ...validations.length > 1 ? [chart()] : [],
    ...rows.map(([one, share]) => bar(one, share)), ...suspects(last));
}

// Accuracy over the session.
function chart() {
  const width = 200, height = 48, svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'Accuracy so far, class mean');
  const line = document.createElementNS(svg.namespaceURI, 'polyline'), values = validations.map((one) => one.class_accuracy);
  const x = (i) => values.length > 1 ? i / (values.length - 1) * width : width;
  line.setAttribute('points', values.map((value, i) => `${x(i).toFixed(1)},${(height - value * height).toFixed(1)}`).join(' '));
  svg.append(line);
  return svg;
}

function suspects(last) {
  const strokes = last.suspects.filter((one) => !kept.has(one.stroke)).slice(0, 5);
  if (!strokes.length) return [];
  return [note('Strokes that the model contradicts: wrong, or the first of their kind'), ...strokes.map((one) => {
    const row = document.createElement('div'), go = document.createElement('button'), keep = document.createElement('button'), remove = document.createElement('button');
    row.className = 'suspects';
    go.textContent = `${state.frames[one.frame].name}, ${percent(one.right)} agree`;
    go.onclick = () => look(one.frame);
    keep.textContent = 'keep';
    keep.ariaLabel = `Stroke ${one.stroke} is right`;
    keep.onclick = () => { kept.add(one.stroke); showValidation(); };
    remove.textContent = 'remove';
    remove.ariaLabel = `Take stroke ${one.stroke} back`;
    remove.onclick = () => { say({ do: 'undo', frame: one.frame, stroke: one.stroke }); keep.onclick(); };
    row.append(go, keep, remove);
    return row;
  })];
}

export async function explain(frame, [x, y]) {
  const answer = await fetch(`frames/${frame}/why?x=${x}&y=${y}`);
  const parts = answer.ok ? whyParts(await answer.json()) : [note(await answer.text())];
  if (frame !== state.frame || state.tool !== 'why') return;
  $('why-text').replaceChildren(...parts);
  $('why').hidden = false;
}

export const closeWhy = () => { $('why').hidden = true; };

$('next').onclick = goToNext;
$('why-close').onclick = closeWhy;

function whyParts(why) {
  const sorted = [...why.classes].sort((a, b) => b.share - a.share).slice(0, 5);
  const first = why.trees[0];
  const tests = first.tests.slice(0, 6).map((test) => note(`${test.channels}: ${test.response}, ${test.side}`));
  return [note(why.pixel), ...sorted.map((one) => bar(one, one.share)), note(`the first of ${why.trees.length} trees: ${first.answer}`), ...tests];
}

const note = (text) => Object.assign(document.createElement('p'), { textContent: text });

// share: null if unknown.
function bar(one, share) {
  const row = document.createElement('div'), name = document.createElement('span'), place = document.createElement('span'), value = document.createElement('span');
  row.className = 'bar';
  name.textContent = one.name;
  value.textContent = share === null ? '–' : percent(share);
  const length = document.createElement('i');
  length.style.width = `${100 * (share ?? 0)}%`;
  length.style.background = `rgb(${one.color.join(' ')})`;
  place.append(length);
  row.append(name, place, value);
  return row;
}
