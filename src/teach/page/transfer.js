// Labels transferred from a neighbouring frame of a recording: suggested, then accepted or ignored.
import { $ } from './common.js';
import { overlay } from './pictures.js';
import { say } from './server.js';
import { allow, hasDepth, state, tell } from './state.js';
import { draw } from './view.js';

const word = () => { $('transfer').textContent = state.suggested ? 'Accept them' : 'Transfer labels'; };

function whyNot() {
  if (!hasDepth()) return 'Transferring labels needs depth, which the frames do not have';
  return state.frames.length > 1 ? '' : 'Transferring labels needs another frame';
}

export const transfer = () => {
  if (accept() || state.isWatching || !state.frames.length) return;
  if ($('transfer').disabled) return tell($('transfer').title, true);
  tell('looking for the same places in a neighbour …');
  say({ do: 'transfer', frame: state.frame });
};

export async function hear(message) {
  if (message.project || message.kept) allow($('transfer'), whyNot());
  if (message.suggested === undefined || message.suggested !== state.frame) return;
  state.suggested = await overlay(`frames/${message.suggested}/suggested`);
  draw();
  word();
  tell(`transferred from ${state.frames[message.from].name}: Enter accepts, Escape discards`);
}

// Returns whether there was a suggestion to accept.
export function accept() {
  if (!state.suggested) return false;
  say({ do: 'accept', frame: state.frame });
  leave();
  return true;
}

export function leave() {
  state.suggested = null;
  word();
  draw();
}

$('transfer').onclick = transfer;
