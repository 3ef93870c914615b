// Functions that all pages use.

export const $ = (id) => document.getElementById(id);

// Per cent with this number of digits after the point; small shares appear as "< 1 %" instead of 0 %.
export function percent(share, digits = 0) {
  const least = 10 ** -digits;
  return share > 0 && 100 * share < least ? `< ${least.toFixed(digits)} %` : `${(100 * share).toFixed(digits)} %`;
}

export function showStatus(sentence, isProblem = false) {
  $('status').textContent = sentence;
  $('status').classList.toggle('problem', isProblem);
}

const REOPEN_MS = 1000;

// Opens a WebSocket to the server, and reopens it when it is lost. opened(socket): called with each new socket;
// hear(message): with each message; lost(): when the connection is lost.
export function openSocket(opened, hear, lost) {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    lost();
    setTimeout(openSocket, REOPEN_MS, opened, hear, lost);
  };
  opened(socket);
}
