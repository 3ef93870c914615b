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
// hear(message): with each message; lost(why): when the connection is lost, and with a sentence if the server refuses
// this page.
export function openSocket(opened, hear, lost) {
  const socket = new WebSocket(new URL('socket', location.href.replace(/^http/, 'ws')));
  const reopen = async () => {
    // Browsers do not tell why a socket does not open; this answer does. Refusals of proxies are not plain text.
    const answer = await fetch('socket', { method: 'POST' }).catch(() => null);
    if (answer?.status !== 403 || !answer.headers.get('Content-Type')?.startsWith('text/plain')) return openSocket(opened, hear, lost);
    lost(await answer.text());
    setTimeout(reopen, REOPEN_MS);
  };
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    lost('');
    setTimeout(reopen, REOPEN_MS);
  };
  opened(socket);
}

// Nothing is dragged out of a page: a browser would drag selected text in place of a stroke on the canvas.
addEventListener('dragstart', (event) => event.preventDefault());
