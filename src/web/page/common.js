// What all pages need.

export const $ = (id) => document.getElementById(id);

// With so many digits after the point. A little is not nothing.
export function percent(share, digits = 0) {
  const least = 10 ** -digits;
  return share > 0 && 100 * share < least ? `< ${least.toFixed(digits)} %` : `${(100 * share).toFixed(digits)} %`;
}

export function showStatus(sentence, isProblem = false) {
  $('status').textContent = sentence;
  $('status').classList.toggle('problem', isProblem);
}

const REOPEN_MS = 1000;

// To the server, again and again where it is lost. opened: takes each socket; hear: each message; lost: is called.
export function openSocket(opened, hear, lost) {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    lost();
    setTimeout(openSocket, REOPEN_MS, opened, hear, lost);
  };
  opened(socket);
}
