// Choice of a class by letters of its name or by its number, for projects with more classes than keys.
import { $ } from './common.js';
import { give } from './classes.js';
import { state } from './state.js';

const MOST_SHOWN = 8;

// Indices of matching classes; first those whose names begin with the text typed.
function found() {
  const typed = $('pick-name').value.trim().toLowerCase(), all = state.classes.map((one, i) => [one.name.toLowerCase(), i]);
  const isNumber = ([, i]) => String(i + 1) === typed, begins = ([name]) => name.startsWith(typed), has = ([name]) => name.includes(typed);
  return [...new Set([isNumber, begins, has].flatMap((is) => all.filter(is)).map(([, i]) => i))];
}

function show() {
  const indices = found();
  $('pick-found').replaceChildren(...indices.slice(0, MOST_SHOWN).map((i) =>
    Object.assign(document.createElement('li'), { textContent: `${i + 1} ${state.classes[i].name}` })));
  $('pick-take').disabled = !indices.length;
}

export function pick() {
  if (!state.classes.length) return;
  $('pick-name').value = $('pick-sheet').returnValue = '';
  show();
  $('pick-sheet').showModal();
}

$('pick-name').oninput = show;
$('pick-sheet').onclose = () => { if ($('pick-sheet').returnValue === 'pick') give(found()[0]); };
