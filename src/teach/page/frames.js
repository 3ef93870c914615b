// The strip of frames, and the choice of the current one.
import { $, percent } from './common.js';
import { say } from './server.js';
import { showAccept } from './accept.js';
import { closeWhy } from './advice.js';
import { followFrame } from './map_panel.js';
import { leave } from './transfer.js';
import { state, tell } from './state.js';
import { forget, loadAll } from './view.js';

export function showFrames(frames) {
  state.frames = frames;
  $('frames').replaceChildren(...frames.map((_, i) => tile(i)));
  frames.forEach((_, i) => { changeFrame(i, {}); showLabels(i); });
  showDone();
}

export function addFrame(frame) {
  state.frames.push(frame);
  $('frames').append(tile(state.frames.length - 1));
  changeFrame(state.frames.length - 1, {});
  showDone();
}

function tile(i) {
  const item = document.createElement('li'), button = document.createElement('button'), uncertainty = document.createElement('i');
  button.dataset.frame = i;
  const [color, labels] = [`frames/${i}/color`, ''].map((src) => Object.assign(document.createElement('img'), { alt: '', loading: 'lazy', ...src && { src } }));
  labels.className = 'labels';
  button.append(color, labels, uncertainty, document.createElement('span'));
  button.onclick = () => look(i);
  item.append(button);
  return item;
}

const buttonOf = (i) => $('frames').querySelector(`[data-frame="${i}"]`);

// news: changed members among strokes, labels_of, uncertainty, is_done.
export function changeFrame(i, news) {
  const frame = Object.assign(state.frames[i], news), button = buttonOf(i);
  button.querySelector('span').textContent = frame.strokes ? `${frame.name} · ${frame.strokes}` : frame.name;
  const carried = frame.carried > 0 ? percent(frame.carried) : '';
  if (carried) button.dataset.carried = carried;
  else delete button.dataset.carried;
  button.querySelector('i').style.width = `${100 * Math.min(1, frame.uncertainty ?? 0)}%`;
  button.classList.toggle('done', frame.is_done);
  button.title = frame.name + (frame.uncertainty === null ? '' : `: uncertainty ${percent(frame.uncertainty)}`) + (frame.is_done ? ', done' : '') + (carried && `, ${carried} of its pixels have labels that are carried`);
}

// Labels of the model over the small picture. The number in the address makes browsers fetch them again.
let numShown = 0;
export function showLabels(i) {
  const labels = buttonOf(i).querySelector('.labels');
  if ((state.frames[i].labels_of ?? null) === null) labels.removeAttribute('src');
  else labels.src = `frames/${i}/labels?${++numShown}`;
}

// ---- Frames marked as done ----

export function showDone() {
  const { frames } = state, count = frames.filter((frame) => frame.is_done).length, isDone = frames[state.frame]?.is_done ?? false;
  $('done-count').textContent = `${count} of ${frames.length} done`;
  $('done').disabled = !frames.length;
  $('done').ariaPressed = String(isDone);
  $('next-open').disabled = nextOpen() === undefined;
  $('next-open').title = nextOpen() === undefined ? 'All other frames are done' : 'The next frame that is not done (J)';
}

// Searches after the current frame, then from the first one.
function nextOpen() {
  const all = state.frames.map((_, i) => i), after = [...all.slice(state.frame + 1), ...all.slice(0, state.frame)];
  return after.find((i) => !state.frames[i].is_done);
}

export function lookAtNextOpen() {
  if (nextOpen() === undefined) tell('All other frames are done');
  else look(nextOpen());
}

export function toggleDone() {
  if (state.frames.length && !state.isWatching) say({ do: 'mark_done', frame: state.frame, is_done: !state.frames[state.frame].is_done });
}

export function hear(message) {
  if (message.marked === undefined) return;
  changeFrame(message.marked, { is_done: message.is_done });
  showDone();
}

$('done').onclick = toggleDone;
$('next-open').onclick = lookAtNextOpen;

export function look(frame) {
  if (!state.frames[frame]) return;
  Object.assign(state, { frame, isWatching: false });
  $('watch').ariaPressed = 'false';
  forget();
  leave();
  closeWhy();
  say({ do: 'view', frame });
  followFrame();
  loadAll();
  for (const button of $('frames').querySelectorAll('button')) button.ariaCurrent = String(+button.dataset.frame === frame);
  showAccept();
  showDone();
  buttonOf(frame).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
