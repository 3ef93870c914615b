// Pointer input on the current frame: strokes, fills, explanations, zoom.
import { $ } from './common.js';
import { acceptIn } from './accept.js';
import { closeWhy, explain } from './advice.js';
import { say } from './server.js';
import { CUT_RADIUS, STEPS, colorOf, radius, state, tell, turn } from './state.js';
import { canvas, draw, drawOnTruth, forget, loadFill, loadMillimetres, move, placeOf, stepsAt, zoomAt } from './view.js';
import { reveal } from './visibility.js';

const fingers = new Map(); // pointer -> position
const CLOSES = 6 * STEPS;  // a click within this distance of the first corner closes a polygon
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

// Whether a tool draws a class, or what the model has labelled.
const drawsLabels = (tool) => tool !== 'eraser' && tool !== 'cut';

export function choose(tool) {
  Object.assign(state, { tool, points: [], fill: null });
  if (tool !== 'why') closeWhy();
  for (const button of document.querySelectorAll('[data-tool]')) button.ariaPressed = String(button.dataset.tool === tool);
  showSize();
}

// The slider is the width of a brush, or how far a fill may bend.
export function showSize() {
  $('radius-name').textContent = state.tool === 'fill' ? `Bends to ${turn()}°` : `Width ${2 * radius()} px`;
  $('radius').disabled = !['brush', 'eraser', 'fill'].includes(state.tool);
  state.fill = null;
  draw();
}

canvas.onpointerdown = (event) => {
  canvas.setPointerCapture(event.pointerId);
  const place = placeOf(event), steps = stepsAt(place);
  fingers.set(event.pointerId, place);
  if (fingers.size > 1 || event.button === 1 || state.comparing) {
    state.drawing = false;
    if (state.tool !== 'polygon') state.points = [];
    return draw();
  }
  if (event.button !== 0 || !state.image) return;
  if (state.isWatching) return tell('keep the frame first (K)', true);
  if (state.tool === 'why') return explain(state.frame, pixelAt(steps));
  if (drawsLabels(state.tool) && !state.accepting && state.chosen === null) return tell(state.classes.length ? 'choose a class first' : 'add a class first', true);
  if (state.tool === 'fill') return fill(pixelAt(steps));
  if (state.tool === 'polygon' && state.points.length > 2 && apart(steps, state.points[0]) < CLOSES) return endStroke();
  if (!state.points.length) state.begun = state.chosen; // whatever happens to classes while it is drawn
  state.points.push(steps);
  state.drawing = state.tool !== 'polygon';
  draw();
};

const FILL_MS = 150; // rest before the area of a fill is shown
let resting = 0;

// Shows what is under a pointer that touches nothing.
function hover(event) {
  if (event.pointerType === 'touch' || !state.image) return;
  state.pointer = stepsAt(placeOf(event));
  loadMillimetres();
  if (state.tool === 'fill' && !isIn(state.fill, pixelAt(state.pointer))) {
    state.fill = null;
    clearTimeout(resting);
    resting = setTimeout(() => { if (state.tool === 'fill' && state.pointer) showFill(pixelAt(state.pointer)); }, FILL_MS);
  }
  if (!fingers.size) draw();
}

canvas.onpointerleave = () => {
  state.pointer = state.fill = null;
  draw();
};

canvas.onpointermove = (event) => {
  hover(event);
  const before = fingers.get(event.pointerId);
  if (!before) return;
  if (state.drawing) {
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const point = stepsAt(placeOf(one)), last = state.points.at(-1);
      if (point[0] !== last[0] || point[1] !== last[1]) state.points.push(point);
    }
    return draw();
  }
  const now = placeOf(event);
  if (fingers.size === 2) {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    zoomAt(other, apart(now, other) / Math.max(1, apart(before, other)));
    move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  } else if (event.buttons & 4 || state.comparing) {
    move(now[0] - before[0], now[1] - before[1]);
  }
  fingers.set(event.pointerId, now);
  draw();
};

canvas.onpointerup = canvas.onpointercancel = (event) => {
  fingers.delete(event.pointerId);
  if (!state.drawing) return;
  if (event.type === 'pointerup') endStroke();
  else forget();
};

canvas.onwheel = (event) => {
  event.preventDefault();
  zoomAt(placeOf(event), Math.exp(-event.deltaY / 400));
  draw();
};

const pixelAt = (steps) => steps.map((step) => Math.floor(step / STEPS));

const isOnFrame = ([x, y]) => x >= 0 && y >= 0 && x < state.image.width && y < state.image.height;
const isIn = (layer, [x, y]) => layer !== null && layer.getContext('2d').getImageData(x, y, 1, 1).data[3] > 0;

function showFill(pixel) {
  if (isOnFrame(pixel) && !state.isWatching) loadFill(pixel);
}

function fill([x, y]) {
  if (!isOnFrame([x, y])) return;
  state.fill = null;
  const place = { x, y, turn: turn() };
  if (state.accepting) return acceptIn(place);
  reveal(state.chosen);
  say({ do: 'fill', frame: state.frame, class: state.chosen, ...place });
  tell('filling …');
}

export function endStroke() {
  const { points, tool, begun: chosen, frame } = state;
  forget();
  if (tool === 'polygon' ? points.length < 3 : !points.length) return;
  if (tool === 'cut') return say({ do: 'stroke', frame, cut: CUT_RADIUS * STEPS, points: points.flat() });
  const area = tool === 'polygon' ? { polygon: points.flat() } : { brush: radius() * STEPS, points: points.flat() };
  if (state.accepting && drawsLabels(tool)) return acceptIn(area);
  if (drawsLabels(tool)) reveal(chosen);
  say({ do: 'stroke', frame, class: tool === 'eraser' ? null : chosen, ...area });
  if (tool === 'brush') drawOnTruth(points, colorOf(chosen), 2 * radius());
}
