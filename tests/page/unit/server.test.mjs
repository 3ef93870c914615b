import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

const waiting = []; // [callback, milliseconds], the arguments of setTimeout()
globalThis.setTimeout = (what, milliseconds, ...given) => waiting.push([() => what(...given), milliseconds]);

let copy = 0;
const page = async () => import(`/server.js?${++copy}`);

beforeEach(() => {
  sessionStorage.clear();
  WebSocket.opened.length = 0;
  waiting.length = 0;
});

test('what is said before the server is there is sent in order, once it is', async () => {
  const { say, sayAgain, connect } = await page();
  say({ do: 'stroke', n: 1 });
  connect(() => {});
  say({ do: 'stroke', n: 2 });
  const [socket] = WebSocket.opened;
  assert.deepEqual(socket.sent, []);
  sayAgain();
  say({ do: 'stroke', n: 3 });
  assert.deepEqual(socket.sent.map((message) => message.n), [1, 2, 3]);
  assert.equal(socket.address.href, 'ws://localhost:1/token/socket');
});

test('an answer resolves its promise, with what was asked', async () => {
  const { say, sayAgain, connect } = await page();
  const heard = [];
  connect((message) => heard.push(message));
  sayAgain();
  const answer = say({ do: 'undo' });
  const [socket] = WebSocket.opened;
  socket.hear({ id: 99, failed: 'of another page' });
  socket.hear({ id: socket.sent[0].id, done: true });
  assert.equal((await answer).asked.do, 'undo');
  assert.equal(heard.length, 2);
});

test('after a lost connection what was not answered is said again, under the same name', async () => {
  const { say, sayAgain, connect } = await page();
  connect(() => {});
  sayAgain();
  say({ do: 'stroke', n: 1 });
  say({ do: 'stroke', n: 2 });
  const [first] = WebSocket.opened;
  first.hear({ id: first.sent[0].id, done: true });
  first.close();
  say({ do: 'stroke', n: 3 });
  assert.equal(WebSocket.opened.length, 1);
  const [connectAgain, milliseconds] = waiting.at(-1);
  assert.equal(milliseconds, 1000);
  await connectAgain();
  const second = WebSocket.opened[1];
  assert.deepEqual(second.sent, []);
  sayAgain();
  assert.deepEqual(second.sent.map((message) => message.n), [2, 3]);
  assert.equal(second.sent[0].request, first.sent[1].request);
});

test('a page that is loaded again says what the one before had no answer to, but not what it looked at', async () => {
  const before = await page();
  before.say({ do: 'view', frame: 3 });
  before.say({ do: 'stroke', n: 1 });
  const { say, sayAgain, connect } = await page();
  connect(() => {});
  say({ do: 'stroke', n: 2 });
  sayAgain();
  const { sent } = WebSocket.opened[0];
  assert.deepEqual(sent.map((message) => message.n), [1, 2]);
  assert.notEqual(sent[0].request.split('-')[0], sent[1].request.split('-')[0], 'names of two pages differ');
  WebSocket.opened[0].hear({ id: sent[0].id, done: true });
  const later = await page();
  later.connect(() => {});
  later.sayAgain();
  assert.deepEqual(WebSocket.opened[1].sent.map((message) => message.n), [2]);
});
