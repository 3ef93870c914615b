// The frame in view: its pictures, and where on the screen they are.
import { overlay, picture, veil } from '/pictures.js';
import { $, STEPS, colorOf, radius, state } from '/state.js';

export const canvas = $('picture');
const ink = canvas.getContext('2d');
const DOUBT = getComputedStyle(document.documentElement).getPropertyValue('--doubt').match(/\w\w/g).map((digits) => parseInt(digits, 16));
const zoomed = { zoom: 1, x: 0, y: 0, fits: true }; // place of the frame's corner in each pane, size of its pixels

// ---- What is shown ----

async function load(what, fetched) {
  const frame = state.frame, found = await fetched;
  if (frame !== state.frame || state.isWatching) return;
  state[what] = found;
  if (zoomed.fits) fit();
  draw();
}

// In place of the frame in view.
export function showPicture(found) {
  Object.assign(state, { image: found, depth: null, truth: null, labels: null, doubt: null });
  if (zoomed.fits) fit();
  draw();
}

const isLabelled = () => (state.frames[state.frame]?.labels_of ?? null) !== null;
const of = (name) => `/frames/${state.frame}/${name}`;
export const loadTruth = () => load('truth', overlay(of('truth')));
export const loadLabels = () => load('labels', isLabelled() ? overlay(of('labels')) : null);
export const loadDoubt = () => load('doubt', $('doubt').checked && isLabelled() ? veil(of('doubt'), DOUBT) : null);
export const loadDepth = () => load('depth', $('beside').checked ? picture(of('depth')) : null);
export const loadImage = () => load('image', picture(of($('depth').checked ? 'depth' : 'color')));

export function loadAll() {
  if (!state.frames.length) return;
  Object.assign(state, { truth: null, labels: null, doubt: null, depth: null, suggested: null });
  for (const one of [loadImage, loadDepth, loadTruth, loadLabels, loadDoubt]) one();
}

// One of all together, or the frame, its depth and its labels side by side.
function panes() {
  const layers = { image: state.image, labels: $('blend').value / 100, truth: 0.85 };
  if (!$('beside').checked) return [{ left: 0, width: canvas.width, layers }];
  const all = [{ ...layers, labels: 0 }, { image: state.depth, labels: 0, truth: 0 }, { image: null, labels: 1, truth: 0 }];
  const shown = all.filter((one, i) => i !== 1 || one.image), width = Math.floor(canvas.width / shown.length);
  return shown.map((one, i) => ({ left: i * width, width, layers: one }));
}

export function fit() {
  if (!state.image) return;
  const { width } = panes()[0], { height } = canvas;
  zoomed.zoom = 0.96 * Math.min(width / state.image.width, height / state.image.height);
  zoomed.x = (width - zoomed.zoom * state.image.width) / 2;
  zoomed.y = (height - zoomed.zoom * state.image.height) / 2;
  zoomed.fits = true;
}

// The stroke in hand is none.
export function forget() {
  Object.assign(state, { points: [], drawing: false });
  draw();
}

export function draw() {
  ink.setTransform(1, 0, 0, 1, 0, 0);
  ink.clearRect(0, 0, canvas.width, canvas.height);
  if (!state.image) return;
  for (const { left, width, layers } of panes()) {
    ink.save();
    ink.beginPath();
    ink.rect(left, 0, width, canvas.height);
    ink.clip();
    ink.setTransform(zoomed.zoom, 0, 0, zoomed.zoom, left + zoomed.x, zoomed.y);
    drawLayers(layers);
    drawPoints();
    ink.restore();
  }
}

function drawLayers(layers) {
  const layer = (picture, opacity) => {
    ink.globalAlpha = opacity;
    if (picture && opacity > 0) ink.drawImage(picture, 0, 0);
  };
  ink.imageSmoothingEnabled = zoomed.zoom < 3;
  layer(layers.image, 1);
  ink.imageSmoothingEnabled = false;
  if (state.comparing) return;
  if (state.suggested) {
    layer(state.suggested, layers.truth > 0 ? 0.55 : 0); // alone, to be judged
  } else {
    layer(state.labels, layers.labels);
    layer(state.doubt, layers.labels > 0 ? 0.7 : 0);
  }
  layer(state.truth, layers.truth);
}

function drawPoints() {
  if (!state.points.length) return;
  ink.globalAlpha = 0.85;
  ink.strokeStyle = state.tool === 'eraser' ? '#ffffff' : colorOf(state.gives);
  line(ink, state.points, state.tool === 'polygon' ? 2 / zoomed.zoom : 2 * radius());
}

// points: in steps. A single one is a dot.
export function line(context, points, width) {
  context.lineCap = context.lineJoin = 'round';
  context.lineWidth = width;
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x / STEPS, y / STEPS);
  if (points.length === 1) context.lineTo(points[0][0] / STEPS + 0.01, points[0][1] / STEPS);
  context.stroke();
}

// ---- Where it is ----

// Pixels of the canvas, from the corner of the pane that is pointed at.
export function placeOf(event) {
  const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
  const x = (event.clientX - box.left) * scale, { width } = panes()[0];
  const pane = Math.min(panes().length - 1, Math.max(0, Math.floor(x / width)));
  return [x - pane * width, (event.clientY - box.top) * scale];
}

export const stepsAt = ([x, y]) =>
  [Math.round((x - zoomed.x) / zoomed.zoom * STEPS), Math.round((y - zoomed.y) / zoomed.zoom * STEPS)];

export function zoomAt([x, y], factor) {
  const zoom = Math.min(40, Math.max(0.1, zoomed.zoom * factor));
  const scaled = (place, corner) => place - (place - corner) * zoom / zoomed.zoom;
  Object.assign(zoomed, { x: scaled(x, zoomed.x), y: scaled(y, zoomed.y), zoom, fits: false });
}

export function move(dx, dy) {
  Object.assign(zoomed, { x: zoomed.x + dx, y: zoomed.y + dy, fits: false });
}

new ResizeObserver(() => {
  const scale = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (zoomed.fits) fit();
  draw();
}).observe(canvas);
