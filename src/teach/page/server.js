// What is said to the server. Nothing is lost with the connection, nor when the page is loaded again: what was not
// answered is said again, in order, and carries a name, so that the server does once what it hears twice.
import { openSocket } from '/common.js';
import { tell } from '/state.js';

const KEPT = `unanswered${location.search}`; // of this project: the address has its token
let socket = null, nextId = 1, isReady = false; // ready: what was not answered before has been said again
const unanswered = new Map();                   // id -> { message, resolve }
const page = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// Whether it is about what a window shows, which another window, or this one when it is loaded again, may not want.
export const isPassing = (message) => ['view', 'map', 'leave_map'].includes(message.do);

function keep() {
  const messages = [...unanswered.values()].map((one) => one.message).filter((message) => !isPassing(message));
  try { sessionStorage.setItem(KEPT, JSON.stringify(messages)); } catch { /* full: the page has them as long as it is open */ }
}

// Of the page before this one, under their old names.
for (const message of JSON.parse(sessionStorage.getItem(KEPT) ?? '[]')) {
  message.id = nextId++;
  unanswered.set(message.id, { message, resolve: () => {} });
}

// A promise of the answer, whose `request` is the message: it is `done`, or `failed` says why not.
export function say(message) {
  message.id = nextId++;
  message.said = `${page}-${message.id}`;
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
      message.request = asked.message;
    }
    hear(message);
    asked?.resolve(message);
  }, () => {
    isReady = false;
    tell('not connected; what you draw is kept and sent when fernwood is back', true, true);
  });
}
