// What is said to the server. Nothing is lost with the connection: what was not answered is said again, and carries a
// name, so that the server does once what it hears twice.
import { tell } from '/state.js';

let socket = null, nextId = 1;
const unanswered = new Map(); // id -> message
const page = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function say(message) {
  message.id = nextId++;
  message.said = `${page}-${message.id}`;
  unanswered.set(message.id, message);
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

export function sayAgain() {
  for (const one of unanswered.values()) socket.send(JSON.stringify(one));
}

// hear: called with each message.
export function connect(hear) {
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.id !== undefined) unanswered.delete(message.id);
    hear(message);
  };
  socket.onclose = () => {
    tell('not connected; what you draw is kept and sent when fernwood is back', true);
    setTimeout(connect, 1000, hear);
  };
}
