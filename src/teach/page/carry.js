// Carries labels drawn on frames to all frames of a recording that see the same surfaces.
import { $, percent } from './common.js';
import { say } from './server.js';
import { allow, hasDepth, state, tell } from './state.js';
import { loadCarried } from './view.js';
import { changeFrame } from './frames.js';

const COUNT_MS = 500; // between two counts of frames that are left
let told = -COUNT_MS;

export const carryAll = () => say({ do: 'carry', is_carried: $('carry').checked });

// Carries the labels drawn on the current frame only, or stops doing so.
export function carryFrame() {
  const frame = state.frames[state.frame];
  if (frame && !state.isWatching) say({ do: 'carry', frame: state.frame, is_carried: !frame.is_carrying });
}

function show() {
  const { frames } = state, reached = frames.filter((frame) => frame.carried > 0), from = frames.filter((frame) => frame.is_carrying && frame.strokes);
  $('carry').checked = frames.length > 0 && frames.every((frame) => frame.is_carrying);
  $('carry').indeterminate = !$('carry').checked && frames.some((frame) => frame.is_carrying);
  const share = reached.reduce((sum, frame) => sum + frame.carried, 0) / Math.max(1, frames.length);
  $('carry-count').hidden = !from.length;
  $('carry-count').textContent = `carried from ${from.length} to ${reached.length}, ${percent(share)} of all pixels`;
}

export function hear(message) {
  if (message.project || message.kept) allow($('carry'), hasDepth() ? '' : 'Carrying needs depth, which the frames do not have');
  if (message.carrying !== undefined) {
    const { carrying, carrying_frame: one } = message;
    for (const frame of one === null ? state.frames : [state.frames[one]]) frame.is_carrying = carrying;
    const whose = one === null ? 'strokes' : `strokes on ${state.frames[one].name}`;
    tell(carrying ? `${whose} are carried to all frames that see the same places …` : `${whose} are no longer carried`);
  }
  if (message.carried !== undefined) {
    changeFrame(message.carried, { carried: message.share });
    if (message.carried === state.frame) loadCarried();
  }
  if (message.classes) loadCarried(); // the colours may have changed
  show();
  if (message.left > 0 && performance.now() - told > COUNT_MS) {
    told = performance.now();
    tell(`carrying labels: ${message.left} ${message.left === 1 ? 'frame is' : 'frames are'} left …`);
  }
  if (message.carried_all) tell($('carry-count').hidden ? 'nothing is carried' : $('carry-count').textContent);
}

$('carry').onchange = carryAll;
