// The current frame: its images, and their positions on the screen.
import { $ } from './common.js';
import { greys, hatched, overlay, picture, readable } from './pictures.js';
import { readout } from './readout.js';
import { CUT_COLOR, CUT_RADIUS, STEPS, colorOf, hasDepth, hasLabels, radius, state, turn } from './state.js';
import { forgetSeen, seen } from './visibility.js';

export const canvas = $('picture');
const ink = canvas.getContext('2d');
const UNCERTAINTY_OPACITY = 200; // of 255: greys, which are not class colours, over the frame
const zoomed = { zoom: 1, x: 0, y: 0, fits: true }; // position of the frame's corner in each pane, size of its pixels

// ---- Panes and layers ----

async function load(what, fetched) {
  const frame = state.frame, found = await fetched;
  if (frame !== state.frame || state.isWatching) return;
  state[what] = found;
  if (zoomed.fits) fit();
  draw();
}

// Shows an image instead of the current frame.
export function showPicture(found) {
  Object.assign(state, { image: found, depth: null, millimetres: null, truth: null, labels: null, uncertainty: null, carried: null, objects: null, fill: null });
  if (zoomed.fits) fit();
  draw();
}

const of = (name) => `frames/${state.frame}/${name}`;
export const loadTruth = () => load('truth', overlay(of('truth')));
export const loadCarried = () => load('carried', state.frames[state.frame]?.carried > 0 ? hatched(of('carried')) : null);
export const loadLabels = () => load('labels', hasLabels() ? overlay(of('labels')) : null);
export const loadUncertainty = () => load('uncertainty', ($('uncertainty').checked || $('beside').checked) && hasLabels() ? greys(of('uncertainty'), UNCERTAINTY_OPACITY) : null);
export const loadDepth = () => load('depth', $('beside').checked ? picture(of('depth')) : null);
// For the depth under the pointer; once for a frame.
export function loadMillimetres() {
  if (state.millimetres !== null || !hasDepth() || state.isWatching) return;
  state.millimetres = undefined; // on its way
  load('millimetres', readable(of('millimetres')));
}
export const loadFill = ([x, y]) => load('fill', hatched(of(`fill?turn=${turn()}&x=${x}&y=${y}`)));
export const loadImage = () => load('image', picture(of($('depth').checked ? 'depth' : 'color')));

export const loadObjects = () => load('objects', $('objects').checked ? objectsAt(of(`objects?of=${$('blend').value > 0 ? 'both' : 'drawn'}`)) : null);

export function loadAll() {
  if (!state.frames.length) return;
  Object.assign(state, { truth: null, labels: null, uncertainty: null, depth: null, millimetres: null, suggested: null, carried: null, objects: null, fill: null });
  for (const one of [loadImage, loadDepth, loadTruth, loadCarried, loadLabels, loadUncertainty, loadObjects]) one();
}

async function objectsAt(address) {
  const answer = await fetch(address);
  if (!answer.ok) return null;
  const { objects, text, middles, outlines, cuts, width } = await answer.json(), outline = new Path2D(), cut = new Path2D();
  for (let i = 0; i < outlines.length; i += 4) {
    outline.moveTo(outlines[i], outlines[i + 1]);
    outline.lineTo(outlines[i + 2], outlines[i + 3]);
  }
  for (let i = 0; i < cuts.length; i += 2) cut.rect(cuts[i] % width, Math.floor(cuts[i] / width), cuts[i + 1], 1);
  objects.forEach((one, i) => { one.middle = middles[i]; });
  objects.sort((a, b) => b.pixels - a.pixels); // names of large ones come first where there is not enough space
  return { objects, text, outline, cut };
}

// Either one pane with all layers; or panes for the frame, its depth, its labels and, if there is space, its
// uncertainty, as large as possible.
function panes() {
  const isUncertain = $('uncertainty').checked && state.uncertainty !== null;
  const together = { image: state.image, labels: isUncertain ? 0 : $('blend').value / 100, uncertainty: isUncertain ? 1 : 0, truth: 0.85, objects: true };
  if (!$('beside').checked) return placed([together], [1, 1]);
  const plain = { image: null, labels: 0, uncertainty: 0, truth: 0 };
  const all = [{ ...plain, name: 'frame', image: state.image, truth: 0.85 }, { ...plain, name: 'labels', labels: 1, objects: true }];
  if (state.depth) all.splice(1, 0, { ...plain, name: 'depth', image: state.depth });
  const uncertainty = { ...plain, name: 'uncertainty', uncertainty: 1 };
  if (isUncertain) all.push(uncertainty);
  const [columns, rows] = largestGrid(all.length);
  if (state.uncertainty && columns * rows > all.length) all.push(uncertainty);
  return placed(all, [columns, rows]);
}

const placed = (all, [columns, rows]) => {
  const width = Math.floor(canvas.width / columns), height = Math.floor(canvas.height / rows);
  return all.map((layers, i) => ({ left: i % columns * width, top: Math.floor(i / columns) * height, width, height, layers }));
};

// The numbers of columns and rows that show `count` images of the frame's shape at the largest size.
function largestGrid(count) {
  const { width, height } = state.image ?? { width: 4, height: 3 };
  const grids = Array.from({ length: count }, (_, i) => [i + 1, Math.ceil(count / (i + 1))]);
  const zoom = ([columns, rows]) => Math.min(canvas.width / columns / width, canvas.height / rows / height);
  return grids.reduce((best, grid) => zoom(grid) > zoom(best) ? grid : best);
}

export function fit() {
  if (!state.image) return;
  const { width, height } = panes()[0];
  zoomed.zoom = 0.96 * Math.min(width / state.image.width, height / state.image.height);
  zoomed.x = (width - zoomed.zoom * state.image.width) / 2;
  zoomed.y = (height - zoomed.zoom * state.image.height) / 2;
  zoomed.fits = true;
}

// Discards the stroke in progress.
export function forget() {
  Object.assign(state, { points: [], drawing: false });
  draw();
}

export function draw() {
  ink.setTransform(1, 0, 0, 1, 0, 0);
  ink.clearRect(0, 0, canvas.width, canvas.height);
  const all = state.image ? panes() : [];
  $('uncertainty-legend').hidden = state.comparing || !all.some(({ layers }) => layers.uncertainty && state.uncertainty);
  $('objects-text').hidden = !areObjectsShown();
  $('objects-text').textContent = state.objects?.text ?? '';
  $('readout').textContent = readout();
  $('readout').hidden = !$('readout').textContent;
  for (const { left, top, width, height, layers } of all) {
    ink.save();
    ink.beginPath();
    ink.rect(left, top, width, height);
    ink.clip();
    ink.setTransform(zoomed.zoom, 0, 0, zoomed.zoom, left + zoomed.x, top + zoomed.y);
    drawLayers(layers);
    if (layers.objects && areObjectsShown()) drawObjects(state.objects);
    drawPoints();
    drawBrush();
    ink.setTransform(1, 0, 0, 1, left, top);
    if (layers.name) drawName(layers.name);
    ink.restore();
  }
}

function drawName(name) {
  const scale = devicePixelRatio;
  ink.globalAlpha = 1;
  ink.font = `${12 * scale}px system-ui, sans-serif`;
  ink.fillStyle = '#000a';
  ink.fillRect(0, 0, ink.measureText(name).width + 10 * scale, 18 * scale);
  ink.fillStyle = '#fff';
  ink.fillText(name, 5 * scale, 13 * scale);
}

function drawLayers(layers) {
  const lay = (shown, opacity) => {
    ink.globalAlpha = opacity;
    if (shown && opacity > 0) ink.drawImage(shown, 0, 0);
  };
  ink.imageSmoothingEnabled = zoomed.zoom < 3;
  lay(layers.image, 1);
  ink.imageSmoothingEnabled = false;
  if (state.comparing) return;
  if (layers.image && layers.labels > 0 && (state.labels ?? state.suggested) && !$('depth').checked) drainColor(layers.image);
  if (state.suggested) {
    lay(state.suggested, layers.truth > 0 ? 0.55 : 0); // without other layers, so that it can be judged
  } else {
    lay(seen(state.labels), layers.labels);
    lay(state.uncertainty, layers.uncertainty);
  }
  lay(seen(state.carried), layers.truth);
  lay(seen(state.truth), layers.truth);
  lay(state.fill, layers.truth);
}

// Colours below labels would mix with those of the classes.
function drainColor({ width, height }) {
  ink.globalAlpha = 1;
  ink.globalCompositeOperation = 'saturation';
  ink.fillStyle = '#808080';
  ink.fillRect(0, 0, width, height);
  ink.globalCompositeOperation = 'source-over';
}

const areObjectsShown = () => state.objects !== null && !state.comparing && !state.suggested;

function drawObjects({ objects, outline, cut }) {
  const pixel = devicePixelRatio / zoomed.zoom; // of the screen
  ink.globalAlpha = 1;
  for (const [width, color] of [[3.5, '#000a'], [1.5, '#fff']]) {
    ink.lineWidth = width * pixel;
    ink.strokeStyle = color;
    ink.stroke(outline);
  }
  ink.fillStyle = CUT_COLOR;
  ink.fill(cut);
  ink.font = `${12 * pixel}px system-ui, sans-serif`;
  const taken = []; // [left, top, right, bottom]
  for (const one of objects) drawMeasures(one, pixel, taken);
}

// In the middle of an object; what is wider than it, or covers others, is left out.
function drawMeasures({ class: name, number, middle: [x, y], bounds: [first, , last], distance_m: distance, area_m2: area }, pixel, taken) {
  const title = `${name} ${number}`, texts = [`${number}`, title];
  if (distance !== null) texts.push(`${title} · ${distance.toFixed(1)} m`, `${title} · ${distance.toFixed(1)} m · ${area.toFixed(2)} m²`);
  const widthOf = (text) => ink.measureText(text).width + 8 * pixel, top = y - 9 * pixel, bottom = y + 9 * pixel;
  const isFree = (width) => !taken.some((other) => x - width / 2 < other[2] && x + width / 2 > other[0] && top < other[3] && bottom > other[1]);
  const text = texts.findLast((one) => (one === texts[0] || widthOf(one) <= last + 1 - first) && isFree(widthOf(one)));
  if (!text) return;
  const width = widthOf(text), left = x - width / 2;
  taken.push([left, top, left + width, bottom]);
  ink.fillStyle = '#000b';
  ink.beginPath();
  ink.roundRect(left, top, width, bottom - top, 4 * pixel);
  ink.fill();
  ink.fillStyle = '#fff';
  ink.fillText(text, left + 4 * pixel, top + 13 * pixel);
}

const inkColor = () => state.tool === 'cut' ? CUT_COLOR : state.tool === 'eraser' || state.accepting ? '#ffffff' : colorOf(state.chosen);

// The outline of what a click would draw.
function drawBrush() {
  const size = { brush: radius(), eraser: radius(), cut: CUT_RADIUS }[state.tool];
  if (!state.pointer || !size || state.comparing || state.isWatching) return;
  const [x, y] = state.pointer, pixel = devicePixelRatio / zoomed.zoom; // of the screen
  ink.globalAlpha = 1;
  for (const [width, color] of [[4, '#000a'], [2, inkColor()]]) {
    ink.lineWidth = width * pixel;
    ink.strokeStyle = color;
    ink.beginPath();
    ink.arc(x / STEPS, y / STEPS, Math.max(size, 2 * pixel), 0, 2 * Math.PI);
    ink.stroke();
  }
}

function drawPoints() {
  if (!state.points.length) return;
  ink.globalAlpha = 0.85;
  ink.strokeStyle = inkColor();
  line(ink, state.points, state.tool === 'cut' ? 2 * CUT_RADIUS : state.tool === 'polygon' ? 2 / zoomed.zoom : 2 * radius());
}

// Draws a stroke on the known labels until the server sends the new ones.
export function drawOnTruth(points, color, width) {
  if (!state.truth) return;
  const context = state.truth.getContext('2d');
  context.strokeStyle = color;
  line(context, points, width);
  forgetSeen(state.truth);
  draw();
}

// points: in steps. A single one is a dot.
function line(context, points, width) {
  context.lineCap = context.lineJoin = 'round';
  context.lineWidth = width;
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x / STEPS, y / STEPS);
  if (points.length === 1) context.lineTo(points[0][0] / STEPS + 0.01, points[0][1] / STEPS);
  context.stroke();
}

// ---- Coordinates ----

// Position in canvas pixels, from the corner of the pane under the pointer.
export function placeOf(event) {
  const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  const isInside = ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height;
  const { left, top } = panes().find(isInside) ?? panes()[0];
  return [x - left, y - top];
}

export const stepsAt = ([x, y]) =>
  [Math.round((x - zoomed.x) / zoomed.zoom * STEPS), Math.round((y - zoomed.y) / zoomed.zoom * STEPS)];

export function zoomAt([x, y], factor) {
  const zoom = Math.min(40, Math.max(0.1, zoomed.zoom * factor));
  const scaled = (place, corner) => place - (place - corner) * zoom / zoomed.zoom;
  Object.assign(zoomed, { x: scaled(x, zoomed.x), y: scaled(y, zoomed.y), zoom, fits: false });
}

// At the middle of the frame's pane.
export function zoomBy(factor) {
  const { width, height } = panes()[0];
  zoomAt([width / 2, height / 2], factor);
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
