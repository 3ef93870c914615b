// What goes out of the page: labels for other tools, the model, and the command that grows it again.
import { $, state } from '/state.js';

export function showExport(project) {
  $('train-command').textContent = project.train_command;
}

$('export').onclick = () => {
  const isTaught = state.frames.some((frame) => frame.strokes);
  $('export-note').textContent = isTaught ? 'Labels are those that were drawn, of frames that have strokes.' : 'Nothing is drawn yet.';
  for (const link of $('export-sheet').querySelectorAll('a')) link.toggleAttribute('aria-disabled', !isTaught);
  $('export-sheet').showModal();
};
$('copy-command').onclick = () => navigator.clipboard?.writeText($('train-command').textContent);
