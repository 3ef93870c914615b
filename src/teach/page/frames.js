// The strip of frames, and which one is in view.
import { say } from '/server.js';
import { closeWhy } from '/advice.js';
import { leave } from '/carry.js';
import { $, state } from '/state.js';
import { forget, loadAll } from '/view.js';

export function showFrames(frames) {
  state.frames = frames;
  $('frames').replaceChildren(...frames.map((_, i) => tile(i)));
  frames.forEach((_, i) => changeFrame(i, {}));
}

export function addFrame(frame) {
  state.frames.push(frame);
  $('frames').append(tile(state.frames.length - 1));
  changeFrame(state.frames.length - 1, {});
}

function tile(i) {
  const item = document.createElement('li'), button = document.createElement('button'), doubt = document.createElement('i');
  button.dataset.frame = i;
  button.append(Object.assign(document.createElement('img'), { src: `/frames/${i}/color`, alt: '', loading: 'lazy' }), doubt,
    document.createElement('span'));
  button.onclick = () => look(i);
  item.append(button);
  return item;
}

const buttonOf = (i) => $('frames').querySelector(`[data-frame="${i}"]`);

// news: what is another now of strokes, labels_of, doubt.
export function changeFrame(i, news) {
  const frame = Object.assign(state.frames[i], news), button = buttonOf(i);
  button.querySelector('span').textContent = frame.strokes ? `${frame.name} · ${frame.strokes}` : frame.name;
  button.querySelector('i').style.width = `${100 * Math.min(1, frame.doubt ?? 0)}%`;
  button.title = frame.doubt === null ? frame.name : `${frame.name}: doubt ${(100 * frame.doubt).toFixed(0)} %`;
}

export function look(frame) {
  if (!state.frames[frame]) return;
  Object.assign(state, { frame, isWatching: false });
  $('watch').ariaPressed = 'false';
  forget();
  leave();
  closeWhy();
  say({ do: 'view', frame });
  loadAll();
  for (const button of $('frames').querySelectorAll('button')) button.ariaCurrent = String(+button.dataset.frame === frame);
  buttonOf(frame).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
