// Exports: labels for other tools, the model, and the command that trains it again.
import { $ } from './common.js';
import { state } from './state.js';

const NONE = {
  drawn: 'Nothing is drawn yet.',
  predicted: 'The model has not labelled a frame yet: draw two classes first.',
  both: 'Nothing is drawn yet.',
};

export function showExport(project) {
  $('train-command').textContent = project.train_command;
}

function showLinks() {
  const what = document.querySelector('[name=labels]:checked').value;
  const isDrawn = (frame) => frame.strokes > 0 || frame.carried > 0, isLabelled = (frame) => (frame.labels_of ?? null) !== null;
  const count = state.frames.filter((frame) => what !== 'predicted' && isDrawn(frame) || what !== 'drawn' && isLabelled(frame)).length, isThere = count > 0;
  const strokes = state.frames.reduce((sum, frame) => sum + frame.strokes, 0);
  $('export-note').textContent = !isThere ? NONE[what]
    : `${count} of ${state.frames.length} frames have such labels${what === 'predicted' ? '' : `, and there are ${strokes} strokes`}. The files hold labels, not pictures; formats that are folders come as a ZIP archive.`;
  for (const link of $('export-sheet').querySelectorAll('[data-format]')) {
    const { format, ending } = link.dataset;
    link.download = `labels_${what}_${format}.${ending}`;
    enable(link, isThere, `export/${what}/${format}`);
  }
  enable($('export-model'), state.frames.some(isLabelled), 'export/model');
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
