// The running camera, if there is one: shown instead of a frame; its frames can be added to the project.
import { $ } from './common.js';
import { look } from './frames.js';
import { picture } from './pictures.js';
import { say } from './server.js';
import { state, tell } from './state.js';
import { showPicture } from './view.js';

let newest = 0, drawn = 0, isBusy = false;

export function begin(project) {
  for (const id of ['watch', 'keep']) $(id).hidden = !project.source;
  if (project.source) $('watch').title = `${project.source} (C)`;
  if (project.source && !project.frames.length) watch();
}

export function hear(message) {
  if (message.camera !== undefined) {
    newest = message.camera;
    if (state.isWatching) showNewest();
  }
  if (message.trouble) tell(message.trouble, true);
}

// Draws frames one after the other, always the newest; frames that arrive meanwhile are skipped.
async function showNewest() {
  if (isBusy) return;
  isBusy = true;
  try {
    while (state.isWatching && drawn !== newest) {
      const number = newest, found = await picture(`camera/${number}/${$('depth').checked ? 'depth' : 'color'}`);
      drawn = number;
      if (state.isWatching) showPicture(found);
    }
  } finally {
    isBusy = false;
  }
}

export function watch() {
  if ($('watch').hidden) return;
  if (state.isWatching) return look(state.frame);
  state.isWatching = true;
  $('watch').ariaPressed = 'true';
  for (const button of $('frames').querySelectorAll('button')) button.ariaCurrent = 'false';
  tell('the camera; K keeps a frame to draw on');
  drawn = 0;
  showNewest();
}

export const keep = () => { if (!$('keep').hidden) say({ do: 'keep', camera: state.isWatching ? drawn : newest }); };

$('watch').onclick = watch;
$('keep').onclick = keep;
