// The objects in the labels that are shown: their outlines, names and measures, and the cuts between them.
import { $ } from './common.js';
import { choose } from './drawing.js';
import { state } from './state.js';
import { loadObjects } from './view.js';

const NO_DEPTH = 'The frames have no depth, by which objects are found';

export function begin(project) {
  for (const one of [$('objects'), $('cut')]) {
    one.disabled = !project.has_depth;
    if (one.disabled) (one.closest('label') ?? one).title = NO_DEPTH;
  }
}

export function hear(message) {
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
