// Guidance for beginners, step by step, until it is closed; then never again. Notes about the data, which stay closed
// for a project once they were closed.
import { $ } from './common.js';
import { state } from './state.js';

const SEEN = 'hint-seen', CLOSED = `warnings-closed${location.pathname}`;
const STROKES_TO_CORRECT = 4; // from here on, the teacher knows how to draw where labels are wrong
const STEPS = [
  'Add a class, such as floor, below, and draw on it in the picture.',
  'Add a second class and draw on it: then the model labels all frames.',
  'Look for wrong labels, and draw the right class there.',
  'Press Next (N): it shows the frame that would teach the model most. Draw there.',
  'Finished? Export has the labels and the model. All is saved: press Ctrl-C in the terminal.',
];

export function stepOf(frames, needs) {
  const drawn = frames.filter((frame) => frame.strokes), strokes = drawn.reduce((sum, frame) => sum + frame.strokes, 0);
  if (!strokes) return 0;
  if (needs) return 1;
  if (drawn.length > 1) return 4;
  return strokes < STROKES_TO_CORRECT ? 2 : 3;
}

export function leave() {
  if ($('hint').hidden) return;
  $('hint').hidden = true;
  localStorage.setItem(SEEN, 'yes');
}

function showWarnings(sentences) {
  $('warning-list').replaceChildren(...sentences.map((sentence) => Object.assign(document.createElement('li'), { textContent: sentence })));
  $('warnings').hidden = !sentences.length;
  $('warnings').open = localStorage.getItem(CLOSED) !== sentences.join();
}

export function hear(message) {
  if (message.project) {
    showWarnings(message.project.warnings);
    $('hint').hidden = !state.frames.length || stepOf(state.frames, state.needs) === STEPS.length - 1 || localStorage.getItem(SEEN) !== null;
  }
  const step = stepOf(state.frames, state.needs), text = `${step + 1} of ${STEPS.length}. ${STEPS[step]}`;
  if ($('hint-text').textContent !== text) $('hint-text').textContent = text;
}

$('hint-close').onclick = leave;
$('warnings').ontoggle = () => {
  const sentences = [...$('warning-list').children].map((item) => item.textContent);
  if ($('warnings').open) localStorage.removeItem(CLOSED);
  else localStorage.setItem(CLOSED, sentences.join());
};
