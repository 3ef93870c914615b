// Turns labels of the model into strokes: those of the frame, of a class, or in the area drawn by the teacher.
import { $ } from './common.js';
import { say } from './server.js';
import { allow, hasLabels, state, tell } from './state.js';
import { draw } from './view.js';

const canAccept = () => !state.isWatching && hasLabels();
const chosen = () => state.classes.find((one) => one.class === state.chosen);
const NO_LABELS = 'The model has not labelled this frame yet: draw two classes first';

export function acceptFrame() {
  if (canAccept()) acceptIn({});
  else tell(NO_LABELS, true);
}

export function acceptClass() {
  if (!chosen()) return;
  if (canAccept()) acceptIn({ class: state.chosen });
  else tell(NO_LABELS, true);
}

// where: members of the message that select pixels.
export const acceptIn = (where) => say({ do: 'accept_labels', frame: state.frame, ...where });

export function setAccepting(accepting) {
  state.accepting = accepting;
  $('accept-drawn').ariaPressed = String(accepting);
  draw();
}
export const toggleAccepting = () => setAccepting(!state.accepting);

// To be called after any change that affects which labels can be accepted.
export function showAccept() {
  for (const button of [$('accept'), $('accept-class'), $('accept-drawn')]) allow(button, canAccept() ? '' : NO_LABELS);
  $('accept-class').textContent = `Only ${chosen()?.name ?? 'a class'}`;
  if (state.accepting && !canAccept()) setAccepting(false);
}

export function hear(message) {
  showAccept();
  if (message.pixels !== undefined) tell(`${message.pixels} pixels are accepted as a stroke; Ctrl+Z undoes it`);
}

$('accept').onclick = acceptFrame;
$('accept-class').onclick = acceptClass;
$('accept-drawn').onclick = toggleAccepting;
