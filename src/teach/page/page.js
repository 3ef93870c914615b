// The page of fernwood teach: a front end of fernwood/teach/teaching.h, which defines the messages. Nothing is learnt
// here. This module handles messages of the server and keys; the others show and draw.
import { $ } from './common.js';
import * as accept from './accept.js';
import * as advice from './advice.js';
import * as camera from './camera.js';
import * as carry from './carry.js';
import * as transfer from './transfer.js';
import * as classes from './classes.js';
import { choose, endStroke, showSize } from './drawing.js';
import { showExport } from './export.js';
import * as frames from './frames.js';
import * as hint from './hint.js';
import * as map from './map_panel.js';
import * as objects from './objects.js';
import { connect, isPassing, say, sayAgain } from './server.js';
import { radius, settle, state, tell } from './state.js';
import { draw, fit, forget, loadDepth, loadUncertainty, loadImage, loadLabels, loadTruth, zoomBy } from './view.js';
import { toggle } from './visibility.js';

const TRAINING = { '': '', quick: 'training …', thorough: 'refining the model …', validation: 'measuring accuracy …' };
const CANNOT = {
  stroke: 'The stroke was not drawn', fill: 'Nothing was filled', undo: 'Not undone', redo: 'Not redone', add_class: 'The class was not added',
  change_class: 'The class was not changed', merge: 'Not merged', delete_class: 'Not deleted', restore_class: 'Not restored', carry: 'Nothing is carried', map: 'There is no map',
};

function hear(message) {
  if (message.project) begin(message.project);
  if (message.failed) {
    const what = CANNOT[message.asked?.do];
    tell(what ? `${what}: ${message.failed}` : message.failed, true);
    loadTruth();
  } else if (message.asked && !isPassing(message.asked)) settle();
  if (message.version !== undefined) state.version = message.version;
  classes.hear(message);
  if (message.cleared) clearLabels();
  if (message.needs !== undefined) hearNeeds(message.needs);
  if (message.truth !== undefined) {
    frames.changeFrame(message.truth, { strokes: message.strokes });
    if (message.truth === state.frame) loadTruth();
    tell(state.needs);
  }
  if (message.labels !== undefined) {
    frames.changeFrame(message.labels, { labels_of: message.of, uncertainty: message.uncertainty });
    frames.showLabels(message.labels);
    if (message.labels === state.frame) { loadLabels(); loadUncertainty(); }
  }
  if (message.classes) recolor();
  if (message.training !== undefined) $('training').textContent = TRAINING[message.training];
  if (message.smooth !== undefined) $('smooth').checked = message.smooth;
  if (message.kept) frames.addFrame(message.kept);
  if (message.frame !== undefined && message.done) frames.look(message.frame); // added by this page
  frames.hear(message);
  accept.hear(message);
  advice.hear(message);
  camera.hear(message);
  carry.hear(message);
  map.hear(message);
  objects.hear(message);
  transfer.hear(message);
  hint.hear(message);
  if (message.learnt !== undefined && !state.suggested) tell(message.thorough ? 'Model updated and refined' : 'Model updated');
  if (message.problem) tell(message.problem, true);
}

function hearNeeds(needs) {
  if (needs === state.needs) return;
  state.needs = needs;
  tell(needs);
}

// Labels of the model have the colours that classes have now.
function recolor() {
  loadLabels();
  state.frames.forEach((_, i) => frames.showLabels(i));
}

function clearLabels() {
  state.frames.forEach((_, i) => frames.changeFrame(i, { labels_of: null, uncertainty: null }));
  recolor();
  loadUncertainty();
}

function begin(project) {
  const { points, drawing, begun } = state;
  state.version = project.version;
  $('title').textContent = project.folder;
  document.title = `fernwood teach: ${project.folder}`;
  $('smooth').checked = project.smooth;
  showExport(project);
  state.needs = project.needs;
  $('training').textContent = TRAINING[project.training];
  classes.hear(project);
  frames.showFrames(project.frames);
  frames.look(Math.min(state.frame, Math.max(0, state.frames.length - 1)));
  Object.assign(state, { points, drawing, begun }); // the user may be drawing while the connection is restored
  sayAgain();
  tell(state.frames.length ? `${state.frames.length} frames` : 'no frames');
  camera.begin(project);
  map.begin();
}

const ZOOM = 1.5;
const undo = () => say({ do: 'undo', frame: state.frame }), redo = () => say({ do: 'redo', frame: state.frame });
const compare = (comparing) => { state.comparing = comparing; draw(); };
const resize = (by) => { $('radius').value = radius() + by; showSize(); };
const switched = (name) => () => $(name).disabled ? tell(($(name).closest('label') ?? $(name)).title, true) : $(name).click();
const zoom = (factor) => () => { zoomBy(factor); draw(); };
const whole = () => { fit(); draw(); };

const keys = {
  b: () => choose('brush'), e: () => choose('eraser'), p: () => choose('polygon'), f: () => choose('fill'), w: () => choose('why'),
  a: (event) => event.shiftKey ? accept.acceptClass() : accept.acceptFrame(), m: accept.toggleAccepting,
  x: frames.toggleDone, j: frames.lookAtNextOpen, n: advice.goToNext, c: camera.watch, k: camera.keep, g: transfer.transfer,
  l: (event) => event.shiftKey ? carry.carryFrame() : $('carry').click(),
  h: () => toggle(state.chosen), o: switched('objects'), i: switched('cut'), t: switched('smooth'), u: switched('uncertainty'), d: switched('depth'), s: switched('beside'), v: map.toggle, '[': () => resize(-2), ']': () => resize(2),
  arrowleft: () => frames.look(state.frame - 1), arrowright: () => frames.look(state.frame + 1), '0': whole, '+': zoom(ZOOM), '=': zoom(ZOOM), '-': zoom(1 / ZOOM),
  ' ': () => compare(true), enter: () => transfer.accept() || state.tool === 'polygon' && endStroke(), '/': classes.pick, '?': () => $('sheet').showModal(),
  escape: () => { advice.closeWhy(); transfer.leave(); forget(); },
};
for (let i = 0; i < 9; ++i) { keys[i + 1] = () => classes.give(i); keys[`shift${i + 1}`] = () => classes.give(i + 9); }
const keysWithControl = { z: (event) => event.shiftKey ? redo() : undo(), y: redo };

document.onkeydown = (event) => {
  if (event.defaultPrevented || event.target.matches('input:not([type=range]):not([type=checkbox]), select') || document.querySelector('dialog[open]')) return;
  // Shift turns digits into different characters on different keyboards.
  const digit = event.shiftKey && /^Digit[1-9]$/.test(event.code) ? `shift${event.code.at(-1)}` : '';
  const key = digit || event.key.toLowerCase(), action = (event.ctrlKey || event.metaKey ? keysWithControl : keys)[key];
  if (!action || event.target.matches('button') && (key === ' ' || key === 'enter')) return;
  event.preventDefault();
  action(event);
};
document.onkeyup = (event) => { if (event.key === ' ' && state.comparing) compare(false); };

for (const button of document.querySelectorAll('[data-tool]:not(#cut)')) button.onclick = () => choose(button.dataset.tool);
$('undo').onclick = undo;
$('redo').onclick = redo;
$('depth').onchange = loadImage;
$('uncertainty').onchange = loadUncertainty;
$('beside').onchange = () => { loadDepth(); loadUncertainty(); };
$('blend').oninput = draw;
$('radius').oninput = showSize;
$('zoom-in').onclick = zoom(ZOOM);
$('zoom-out').onclick = zoom(1 / ZOOM);
$('zoom-fit').onclick = whole;
document.addEventListener('pointerdown', (event) => { if (!$('view').contains(event.target)) $('view').open = false; });
$('smooth').onchange = () => say({ do: 'smooth', is_smooth: $('smooth').checked });
$('help').onclick = keys['?'];

choose('brush');
connect(hear);
