// State shared by all modules of the page.
import { $, showStatus } from './common.js';

export const STEPS = 8; // steps per pixel, the unit of stroke coordinates
export const CUT_RADIUS = 1, CUT_COLOR = '#ff2d95'; // pixels; no class is likely to have that colour

export const state = {
  frames: [], classes: [], version: 0,
  frame: 0, tool: 'brush', needs: '',                   // needs: what is missing before anything can be learnt
  chosen: null, begun: null, // a class: its number, or the request id that adds it; begun: of the stroke in progress
  image: null, depth: null, millimetres: null, truth: null, labels: null, uncertainty: null, suggested: null, carried: null, // images
  fill: null, // the area that a fill would have at the pointer
  objects: null,                                                           // of these labels, with their outlines
  accepting: false,                                                        // strokes draw labels of the model
  pointer: null,                                                           // where it is on the frame, in steps
  points: [], drawing: false, comparing: false, isWatching: false,        // points: of the stroke in progress, in steps
};

// Whether the model has labels for the current frame.
export const hasLabels = () => (state.frames[state.frame]?.labels_of ?? null) !== null;

// Enables a control, or disables it with the reason as its title.
export function allow(control, reason) {
  const titled = control.closest('label') ?? control;
  titled.dataset.title ??= titled.title;
  control.disabled = Boolean(reason);
  titled.title = reason || titled.dataset.title;
}

export const radius = () => +$('radius').value;
export const turn = () => Math.min(90, 2 * radius()); // of a fill, in degrees

export const hasDepth = () => state.frames[0]?.has_depth ?? false; // all frames, or none

export function colorOf(number) {
  const one = state.classes.find((known) => known.class === number);
  return one ? `rgb(${one.color.join(' ')})` : '#888';
}

// Icon of 16 x 16 units, from path data.
export const icon = (lines) =>
  `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">${lines}</svg>`;

const PROBLEM_MS = 15000;
let fading = 0;

// A problem disappears after the next success, by its button or after a while; if `lasts`, only when replaced.
export function tell(sentence, isProblem = false, lasts = false) {
  clearTimeout(fading);
  showStatus(sentence, isProblem);
  $('status').classList.toggle('lasts', lasts);
  if (!isProblem || lasts) return;
  const close = Object.assign(document.createElement('button'), { id: 'status-close', ariaLabel: 'Close this message', onclick: settle });
  $('status').append(close);
  fading = setTimeout(settle, PROBLEM_MS);
}

// To be called after a success.
export function settle() {
  if ($('status').classList.contains('problem') && !$('status').classList.contains('lasts')) tell('');
}
