// Two lines for whoever begins: until there are strokes of two classes, or a click on them; then never again.
// Pointers draw through them.
import { $, state } from '/state.js';

const SEEN = 'hint-seen';

export function leave() {
  if ($('hint').hidden) return;
  $('hint').hidden = true;
  localStorage.setItem(SEEN, 'yes');
}

export function hear(message) {
  const isTaught = state.frames.some((frame) => frame.strokes);
  if (message.project) $('hint').hidden = isTaught || !state.frames.length || localStorage.getItem(SEEN) !== null;
  else if (isTaught && state.classes.length > 1) leave();
}

document.addEventListener('pointerdown', (event) => {
  const { left, right, top, bottom } = $('hint').getBoundingClientRect();
  if (event.clientX >= left && event.clientX < right && event.clientY >= top && event.clientY < bottom) leave();
});
$('hint-close').onclick = leave;
