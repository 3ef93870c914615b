// Requests to the server. None is lost if the connection breaks or the page is reloaded: unanswered requests are sent
// again, in order, each with a request id, so that the server executes a repeated one only once.
import { $, openSocket } from './common.js';
import { tell } from './state.js';

const KEPT = `unanswered${location.pathname}`; // per project: the address contains its token
let socket = null, nextId = 1, isReady = false; // ready: earlier unanswered requests have been sent again
const unanswered = new Map();                   // id -> { message, resolve }
const page = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// Whether a message concerns only what a window shows, and so must not be repeated by another window or after a reload.
export const isPassing = (message) => ['view', 'map', 'leave_map'].includes(message.do);

function keep() {
  const messages = [...unanswered.values()].map((one) => one.message).filter((message) => !isPassing(message));
  $('saved').textContent = messages.length ? 'Saving …' : 'Saved';
  try { sessionStorage.setItem(KEPT, JSON.stringify(messages)); } catch { /* full: kept until the page is closed */ }
}

// Unanswered requests of the page before a reload, with their old request ids.
for (const message of JSON.parse(sessionStorage.getItem(KEPT) ?? '[]')) {
  message.id = nextId++;
  unanswered.set(message.id, { message, resolve: () => {} });
}

// Returns a promise of the answer, whose `asked` is the message: it has `done`, or `failed` with the reason.
export function say(message) {
  message.id = nextId++;
  message.request = `${page}-${message.id}`;
  const answer = new Promise((resolve) => unanswered.set(message.id, { message, resolve }));
  keep();
  if (isReady) socket.send(JSON.stringify(message));
  return answer;
}

export function sayAgain() {
  isReady = true;
  for (const { message } of unanswered.values()) socket.send(JSON.stringify(message));
}

// hear: called with each message.
export function connect(hear) {
  openSocket((opened) => { socket = opened; }, (message) => {
    const asked = unanswered.get(message.id);
    if (asked) {
      unanswered.delete(message.id);
      keep();
      message.asked = asked.message;
    }
    hear(message);
    asked?.resolve(message);
  }, (why) => {
    isReady = false;
    tell(why || 'not connected; what you draw is kept and sent when fernwood is back', true, true);
  });
}
