// What all parts of the page know.
import { $, showStatus } from '/common.js';

export const STEPS = 8; // of a pixel, as strokes count

export const state = {
  frames: [], classes: [], version: 0,
  frame: 0, tool: 'brush', needs: '',                   // needs: what is missing until something can be learnt
  gives: null, begun: null, // a class: its number, or what the message that adds it is called; begun: of the stroke in hand
  image: null, depth: null, truth: null, labels: null, uncertainty: null, suggested: null, carried: null, // pictures of the frame in view
  accepting: false,                                                        // labels of the model, where strokes are drawn
  points: [], drawing: false, comparing: false, isWatching: false,        // points: of the stroke in hand, in steps
};

// Whether there are labels of the model for the frame in view.
export const hasLabels = () => (state.frames[state.frame]?.labels_of ?? null) !== null;

export const radius = () => +$('radius').value;

export function colorOf(number) {
  const one = state.classes.find((known) => known.class === number);
  return one ? `rgb(${one.color.join(' ')})` : '#888';
}

// Of 16 x 16, in lines.
export const icon = (lines) =>
  `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">${lines}</svg>`;

const PROBLEM_MS = 15000;
let fading = 0;

// A problem goes with the next success, by its button or after a while, unless it lasts until something else is told.
export function tell(sentence, isProblem = false, lasts = false) {
  clearTimeout(fading);
  showStatus(sentence, isProblem);
  $('status').classList.toggle('lasts', lasts);
  if (!isProblem || lasts) return;
  const close = Object.assign(document.createElement('button'), { id: 'status-close', ariaLabel: 'Close this message', onclick: settle });
  $('status').append(close);
  fading = setTimeout(settle, PROBLEM_MS);
}

// After a success.
export function settle() {
  if ($('status').classList.contains('problem') && !$('status').classList.contains('lasts')) tell('');
}
