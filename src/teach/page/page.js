// The page of fernwood teach: a face of src/teach/teaching.h, which tells what messages there are. Nothing is learnt here.
import { picture, overlay, veil } from '/pictures.js';
import { Advice } from '/advice.js';

const STEPS = 8; // of a pixel, as strokes count
const $ = (id) => document.getElementById(id);
const canvas = $('picture'), ink = canvas.getContext('2d');

const state = {
  frames: [], classes: [], version: 0,
  frame: 0, tool: 'brush', gives: null,          // gives: a class's number
  image: null, truth: null, labels: null, doubt: null,        // pictures of the frame in view
  zoom: 1, x: 0, y: 0, fits: true,               // of the canvas: place of the frame's corner, size of its pixels
  points: [], drawing: false, comparing: false,
  fingers: new Map(),
};

const advice = new Advice(state, look);

// ---- What is said to the server, and heard ----

let socket = null, nextId = 1;
const unanswered = new Map(); // id -> message: said again after the connection was lost

function say(message) {
  message.id = nextId++;
  unanswered.set(message.id, message);
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    tell('not connected; what you draw is kept and sent when fernwood is back', true);
    setTimeout(connect, 1000);
  };
}

function hear(message) {
  if (message.project) {
    Object.assign(state, { frames: message.project.frames, classes: message.project.classes, version: message.project.version });
    $('title').textContent = message.project.folder;
    state.gives ??= state.classes[0]?.class ?? null;
    showFrames();
    showClasses();
    look(Math.min(state.frame, Math.max(0, state.frames.length - 1)));
    for (const one of unanswered.values()) socket.send(JSON.stringify(one));
    tell(state.frames.length ? `${state.frames.length} frames` : 'no frames');
  }
  if (message.id !== undefined && message.id !== null) {
    unanswered.delete(message.id);
    if (message.failed) { tell(message.failed, true); loadTruth(); }
  }
  if (message.version !== undefined) state.version = message.version;
  if (message.classes) { state.classes = message.classes; state.gives ??= state.classes[0]?.class ?? null; showClasses(); }
  if (message.truth !== undefined) {
    state.frames[message.truth].strokes = message.strokes;
    markFrame(message.truth);
    if (message.truth === state.frame) loadTruth();
    tell('learning …');
  }
  if (message.labels !== undefined) {
    state.frames[message.labels].labels_of = message.of;
    markFrame(message.labels);
    if (message.labels === state.frame) { loadLabels(); loadDoubt(); }
  }
  advice.hear(message);
  if (message.learnt !== undefined) tell(message.thorough ? 'learnt, thoroughly' : 'learnt');
  if (message.problem) tell(message.problem, true);
}

function tell(sentence, isProblem = false) {
  $('status').textContent = sentence;
  $('status').classList.toggle('problem', isProblem);
}

// ---- Pictures ----

async function load(what, make) {
  const frame = state.frame, found = await make(frame);
  if (frame !== state.frame) return;
  state[what] = found;
  if (what === 'image' && state.fits) fit();
  draw();
}
const loadImage = () => load('image', (frame) => picture(`/frames/${frame}/${$('depth').checked ? 'depth' : 'color'}`));
const loadTruth = () => load('truth', (frame) => overlay(`/frames/${frame}/truth`));
const loadLabels = () => load('labels',
  (frame) => state.frames[frame].labels_of === null ? null : overlay(`/frames/${frame}/labels`));

const loadDoubt = () => load('doubt',
  (frame) => $('doubt').checked && state.frames[frame].labels_of !== null ? veil(`/frames/${frame}/doubt`, [214, 39, 180]) : null);

function look(frame) {
  if (!state.frames[frame]) return;
  Object.assign(state, { frame, truth: null, labels: null, doubt: null, points: [], drawing: false });
  say({ do: 'view', frame });
  loadImage();
  loadTruth();
  loadLabels();
  loadDoubt();
  for (const button of $('frames').querySelectorAll('button')) button.ariaCurrent = String(+button.dataset.frame === frame);
  $('frames').querySelector(`[data-frame="${frame}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function fit() {
  if (!state.image) return;
  const { width, height } = canvas;
  state.zoom = 0.96 * Math.min(width / state.image.width, height / state.image.height);
  state.x = (width - state.zoom * state.image.width) / 2;
  state.y = (height - state.zoom * state.image.height) / 2;
  state.fits = true;
}

function draw() {
  ink.setTransform(1, 0, 0, 1, 0, 0);
  ink.clearRect(0, 0, canvas.width, canvas.height);
  if (!state.image) return;
  ink.setTransform(state.zoom, 0, 0, state.zoom, state.x, state.y);
  ink.imageSmoothingEnabled = state.zoom < 3;
  ink.drawImage(state.image, 0, 0);
  ink.imageSmoothingEnabled = false;
  if (!state.comparing) {
    ink.globalAlpha = $('blend').value / 100;
    if (state.labels) ink.drawImage(state.labels, 0, 0);
    ink.globalAlpha = 0.7;
    if (state.doubt) ink.drawImage(state.doubt, 0, 0);
    ink.globalAlpha = 0.85;
    if (state.truth) ink.drawImage(state.truth, 0, 0);
  }
  drawPoints();
  ink.globalAlpha = 1;
}

function drawPoints() {
  if (!state.points.length) return;
  ink.globalAlpha = 0.85;
  ink.strokeStyle = ink.fillStyle = state.tool === 'eraser' ? '#ffffff' : colorOf(state.gives);
  ink.lineCap = ink.lineJoin = 'round';
  ink.beginPath();
  for (const [x, y] of state.points) ink.lineTo(x / STEPS, y / STEPS);
  if (state.points.length === 1) ink.lineTo(state.points[0][0] / STEPS + 0.01, state.points[0][1] / STEPS);
  ink.lineWidth = state.tool === 'polygon' ? 2 / state.zoom : 2 * radius();
  ink.stroke();
}

const radius = () => +$('radius').value;
const colorOf = (number) => {
  const one = state.classes.find((known) => known.class === number);
  return one ? `rgb(${one.color.join(' ')})` : '#888';
};

// ---- Drawing ----

function placeOf(event) {
  const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}
const stepsAt = ([x, y]) => [Math.round((x - state.x) / state.zoom * STEPS), Math.round((y - state.y) / state.zoom * STEPS)];

canvas.onpointerdown = (event) => {
  canvas.setPointerCapture(event.pointerId);
  state.fingers.set(event.pointerId, placeOf(event));
  if (state.fingers.size > 1 || event.button === 1) {
    if (state.tool !== 'polygon') state.points = [];
    state.drawing = false;
    return draw();
  }
  if (event.button !== 0 || !state.image) return;
  if (state.tool === 'why') return advice.explain(state.frame, pixelAt(placeOf(event)));
  if (state.tool !== 'eraser' && state.gives === null) return tell('add a class first', true);
  if (state.tool === 'fill') return fill(pixelAt(placeOf(event)));
  state.points.push(stepsAt(placeOf(event)));
  state.drawing = state.tool !== 'polygon';
  draw();
};

canvas.onpointermove = (event) => {
  const before = state.fingers.get(event.pointerId);
  if (!before) return;
  if (state.drawing) {
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const point = stepsAt(placeOf(one)), last = state.points.at(-1);
      if (point[0] !== last[0] || point[1] !== last[1]) state.points.push(point);
    }
    return draw();
  }
  const now = placeOf(event);
  if (state.fingers.size === 2) {
    const [other] = [...state.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    zoomAt(other, distance(now, other) / Math.max(1, distance(before, other)));
    state.x += (now[0] - before[0]) / 2;
    state.y += (now[1] - before[1]) / 2;
  } else if (event.buttons & 4) {
    state.x += now[0] - before[0];
    state.y += now[1] - before[1];
  }
  state.fits = false;
  state.fingers.set(event.pointerId, now);
  draw();
};

canvas.onpointerup = canvas.onpointercancel = (event) => {
  state.fingers.delete(event.pointerId);
  if (state.drawing) endStroke(event.type === 'pointerup');
};

const pixelAt = (place) => stepsAt(place).map((steps) => Math.floor(steps / STEPS));

function fill([x, y]) {
  if (x < 0 || y < 0 || x >= state.image.width || y >= state.image.height) return;
  say({ do: 'fill', frame: state.frame, gives: state.gives, x, y, turn: Math.min(90, Math.max(1, 2 * radius())) });
  tell('filling …');
}

function endStroke(isMeant) {
  state.drawing = false;
  const points = state.points;
  state.points = [];
  if (!isMeant || !points.length) return draw();
  const stroke = { do: 'stroke', frame: state.frame, gives: state.tool === 'eraser' ? null : state.gives };
  if (state.tool === 'polygon') stroke.polygon = points.flat();
  else Object.assign(stroke, { brush: radius() * STEPS, points: points.flat() });
  if (state.tool !== 'polygon' || points.length > 2) say(stroke);
  // It stays on the screen until the server's truth comes.
  if (state.truth && state.tool === 'brush') {
    const context = state.truth.getContext('2d');
    context.strokeStyle = colorOf(state.gives);
    context.lineCap = context.lineJoin = 'round';
    context.lineWidth = 2 * radius();
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x / STEPS, y / STEPS);
    context.lineTo(points.at(-1)[0] / STEPS + 0.01, points.at(-1)[1] / STEPS);
    context.stroke();
  }
  draw();
}

function zoomAt([x, y], factor) {
  const zoom = Math.min(40, Math.max(0.1, state.zoom * factor));
  state.x = x - (x - state.x) * zoom / state.zoom;
  state.y = y - (y - state.y) * zoom / state.zoom;
  state.zoom = zoom;
  state.fits = false;
}
canvas.onwheel = (event) => {
  event.preventDefault();
  zoomAt(placeOf(event), Math.exp(-event.deltaY / 400));
  draw();
};

// ---- Beside the picture ----

function choose(tool) {
  Object.assign(state, { tool, points: [] });
  for (const button of document.querySelectorAll('[data-tool]')) button.ariaPressed = String(button.dataset.tool === tool);
  draw();
}

function showClasses() {
  $('classes').replaceChildren(...state.classes.map((one, i) => {
    const item = document.createElement('li'), button = document.createElement('button'), lock = document.createElement('button');
    button.className = 'choose';
    button.ariaPressed = String(one.class === state.gives);
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colorOf(one.class);
    button.append(swatch, one.name);
    if (i < 9) button.append(Object.assign(document.createElement('kbd'), { textContent: i + 1 }));
    button.onclick = () => give(i);
    button.ondblclick = () => rename(one);
    button.title = 'Double click: another name';
    lock.textContent = one.locked ? 'locked' : 'lock';
    lock.ariaPressed = String(one.locked);
    lock.ariaLabel = `Lock ${one.name}: strokes of others spare it`;
    lock.onclick = () => say({ do: 'lock', class: one.class, locked: !one.locked });
    item.append(button, lock);
    return item;
  }));
}

function give(index) {
  if (!state.classes[index]) return;
  state.gives = state.classes[index].class;
  if (state.tool === 'eraser') choose('brush');
  showClasses();
}

function rename(one) {
  const name = prompt('Another name for the class', one.name);
  if (name && name !== one.name) say({ do: 'change_class', class: one.class, name, color: one.color });
}

function showFrames() {
  $('frames').replaceChildren(...state.frames.map((frame, i) => {
    const item = document.createElement('li'), button = document.createElement('button');
    button.dataset.frame = i;
    button.append(Object.assign(document.createElement('img'), { src: `/frames/${i}/color`, alt: '', loading: 'lazy' }),
      document.createElement('span'));
    button.onclick = () => look(i);
    item.append(button);
    return item;
  }));
  state.frames.forEach((_, i) => markFrame(i));
}

function markFrame(i) {
  const frame = state.frames[i], text = $('frames').querySelector(`[data-frame="${i}"] span`);
  if (text) text.textContent = frame.strokes ? `${frame.name} · ${frame.strokes}` : frame.name;
}

$('new-class').onsubmit = (event) => {
  event.preventDefault();
  const color = [1, 3, 5].map((i) => parseInt($('class-color').value.slice(i, i + 2), 16));
  say({ do: 'add_class', name: $('class-name').value, color });
  $('class-name').value = '';
  // The next new class: a colour a golden angle away.
  const hue = (state.classes.length + 1) * 137.5 % 360, probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = `hsl(${hue} 60% 50%)`;
  $('class-color').value = probe.fillStyle;
};
for (const button of document.querySelectorAll('[data-tool]')) button.onclick = () => choose(button.dataset.tool);
const undo = () => say({ do: 'undo', frame: state.frame }), redo = () => say({ do: 'redo', frame: state.frame });
$('undo').onclick = undo;
$('redo').onclick = redo;
$('depth').onchange = loadImage;
$('doubt').onchange = loadDoubt;
$('blend').oninput = draw;
$('help').onclick = () => $('sheet').showModal();

document.onkeydown = (event) => {
  if (event.target.matches('input:not([type=range]):not([type=checkbox])') || $('sheet').open) return;
  const key = event.key.toLowerCase(), hasControl = event.ctrlKey || event.metaKey;
  const step = (by) => { $('radius').value = radius() + by; draw(); };
  const actions = hasControl
    ? { z: event.shiftKey ? redo : undo, y: redo }
    : {
      b: () => choose('brush'), e: () => choose('eraser'), p: () => choose('polygon'), f: () => choose('fill'), w: () => choose('why'),
      n: () => advice.goToNext(), u: () => { $('doubt').checked = !$('doubt').checked; loadDoubt(); },
      '[': () => step(-2), ']': () => step(2),
      arrowleft: () => look(state.frame - 1), arrowright: () => look(state.frame + 1), '0': () => { fit(); draw(); },
      d: () => { $('depth').checked = !$('depth').checked; loadImage(); }, '?': () => $('sheet').showModal(),
      ' ': () => { state.comparing = true; draw(); }, enter: () => state.tool === 'polygon' && endStroke(true),
      escape: () => { state.points = []; draw(); },
    };
  if (!hasControl && key >= '1' && key <= '9') actions[key] = () => give(key - 1);
  if (!actions[key] || event.target.matches('button') && (key === ' ' || key === 'enter')) return;
  event.preventDefault();
  actions[key]();
};
document.onkeyup = (event) => { if (event.key === ' ') { state.comparing = false; draw(); } };

new ResizeObserver(() => {
  const scale = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (state.fits) fit();
  draw();
}).observe(canvas);

choose('brush');
connect();
