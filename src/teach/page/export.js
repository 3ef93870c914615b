// Exports: labels for other tools, the model, and the command that trains it again.
import { $ } from './common.js';
import { state } from './state.js';

const NOTES = {
  drawn: ['Frames that have strokes.', 'Nothing is drawn yet.'],
  predicted: ['Frames that the model has labelled, as they are shown.', 'The model has labelled no frame yet: draw two classes first.'],
  both: ['Frames that have strokes or labels of the model.', 'Nothing is drawn yet.'],
};

export function showExport(project) {
  $('train-command').textContent = project.train_command;
}

function showLinks() {
  const what = document.querySelector('[name=labels]:checked').value;
  const isDrawn = state.frames.some((frame) => frame.strokes), isLabelled = state.frames.some((frame) => (frame.labels_of ?? null) !== null);
  const isThere = what === 'drawn' ? isDrawn : what === 'predicted' ? isLabelled : isDrawn || isLabelled;
  $('export-note').textContent = NOTES[what][isThere ? 0 : 1];
  for (const link of $('export-sheet').querySelectorAll('[data-format]')) {
    const { format, ending } = link.dataset;
    link.download = `labels_${what}_${format}.${ending}`;
    enable(link, isThere, `export/${what}/${format}`);
  }
  enable($('export-model'), isLabelled, 'export/model');
}

// Without an address, a link cannot be followed by keyboard either.
function enable(link, isThere, address) {
  link.toggleAttribute('aria-disabled', !isThere);
  if (isThere) link.href = address;
  else link.removeAttribute('href');
}

for (const choice of document.querySelectorAll('[name=labels]')) choice.onchange = showLinks;
$('export').onclick = () => {
  showLinks();
  $('export-sheet').showModal();
};
$('copy-command').onclick = () => navigator.clipboard?.writeText($('train-command').textContent);
