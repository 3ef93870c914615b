// Overlays on the image before anything is drawn. Warnings about the data, until they are closed. Two lines for
// beginners: until two classes have strokes, or a click on them; then never again. Pointers draw through these
// overlays.
import { $ } from './common.js';
import { state } from './state.js';

const SEEN = 'hint-seen', CLOSED = 'warnings-closed';

export function leave() {
  if ($('hint').hidden) return;
  $('hint').hidden = true;
  localStorage.setItem(SEEN, 'yes');
}

function showWarnings(sentences) {
  $('warning-list').replaceChildren(...sentences.map((sentence) => {
    const item = document.createElement('li');
    item.textContent = sentence;
    return item;
  }));
  $('warnings').hidden = !sentences.length || sessionStorage.getItem(CLOSED) === sentences.join();
}

export function closeWarnings() {
  if ($('warnings').hidden) return;
  $('warnings').hidden = true;
  sessionStorage.setItem(CLOSED, [...$('warning-list').children].map((item) => item.textContent).join());
}

export function hear(message) {
  if (message.project) showWarnings(message.project.warnings);
  const isTaught = state.frames.some((frame) => frame.strokes);
  if (message.project) $('hint').hidden = isTaught || !state.frames.length || localStorage.getItem(SEEN) !== null;
  else if (isTaught && state.classes.length > 1) leave();
}

document.addEventListener('pointerdown', (event) => {
  const { left, right, top, bottom } = $('hint').getBoundingClientRect();
  if (event.clientX >= left && event.clientX < right && event.clientY >= top && event.clientY < bottom) leave();
});
$('hint-close').onclick = leave;
$('warnings-close').onclick = closeWarnings;
