// The objects in the labels that are shown: their outlines, names and measures, and the cuts between them.
import { $ } from './common.js';
import { choose } from './drawing.js';
import { allow, hasDepth, state } from './state.js';
import { loadObjects } from './view.js';

const NO_DEPTH = 'Objects are found by depth, which the frames do not have';

export function hear(message) {
  if (message.project || message.kept) for (const one of [$('objects'), $('cut')]) allow(one, hasDepth() ? '' : NO_DEPTH);
  const isOfFrame = [message.truth, message.labels, message.carried].includes(state.frame);
  if (isOfFrame || message.classes || message.cleared) loadObjects();
}

// A cut is seen by what it parts.
$('cut').onclick = () => {
  choose('cut');
  if (!$('objects').checked) $('objects').click();
};
$('objects').onchange = loadObjects;
$('blend').onchange = loadObjects; // at 0, only what was drawn is shown
