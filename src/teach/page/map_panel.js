// The map of the labels: shown beside the frame, and rebuilt when labels change, as long as it is open.
import { $, percent } from './common.js';
import { addViewer, fetchPoints } from './map_viewer.js';
import { say } from './server.js';
import { allow, colorOf, hasDepth, state, tell } from './state.js';

const REST_MS = 1000;    // delay after a change, at least twice the map's building time, to favour training
const UNLABELLED = 65535; // the class of points without one
const hidden = new Set(); // class numbers
let isOpen = false, isMaking = false, isStale = false, isSaying = false; // isSaying: not yet acknowledged
let room = null, newest = null, shown = null, viewer, begun = 0, took = 0, timer = 0; // room: of the map shown or built

const roomInView = () => state.frames[state.frame]?.room ?? null;

function whyNot() {
  if (!hasDepth()) return 'The map needs depth, which the frames do not have';
  return state.frames.some((frame) => frame.room !== null) ? '' : 'The map needs the camera\'s poses: end teach, and start it again with --poses FILE';
}

export function toggle() {
  if ($('show-map').disabled) return tell($('show-map').title, true);
  isOpen = !isOpen;
  showPanel();
  if (isOpen) return ask();
  clearTimeout(timer);
  if (isMaking) say({ do: 'leave_map' });
  isMaking = false;
}

function showPanel() {
  $('show-map').ariaPressed = String(isOpen);
  $('map-panel').hidden = !isOpen;
  document.body.classList.toggle('has-map', isOpen);
}

async function ask() {
  clearTimeout(timer);
  [isMaking, isStale, isSaying, begun, room] = [true, false, true, performance.now(), roomInView()];
  const answer = await say({ do: 'map', frame: state.frame });
  isSaying = false;
  if (!answer.failed) return;
  isMaking = false;
  if (isOpen) toggle(); // the error is shown elsewhere
}

// Marks the map as outdated after labels have changed.
function outdate() {
  isStale = true;
  if (!isOpen || isMaking) return;
  clearTimeout(timer);
  timer = setTimeout(ask, Math.max(REST_MS, 2 * took));
}

// Called when another frame, possibly of another room, becomes the current one.
export function followFrame() {
  if (isOpen && roomInView() !== null && roomInView() !== room) ask();
}

// Called on each connection; after a reconnection, a map that was being built is lost.
export function begin() {
  if (isOpen && !isSaying) ask();
}

export function hear(message) {
  if (message.truth !== undefined || message.carried !== undefined || message.kept !== undefined) outdate();
  if (message.project || message.kept) allow($('show-map'), whyNot());
  if (message.map_left !== undefined && isMaking) tellNews(`${message.map_left} frames are left to be mapped …`);
  if (message.classes && shown) showLegend();
  if (message.map && isOpen && message.map.room === room) show(message.map);
}

async function show(map) {
  isMaking = false;
  took = performance.now() - begun;
  newest = map;
  const bytes = await fetchPoints(map.number);
  if (bytes && viewer === undefined) viewer = await addViewer($('map-news'));
  if (map !== newest) return;
  if (!bytes) return outdate();
  shown = map;
  showLegend();
  viewer?.show(map, bytes);
  const share = map.points ? map.labelled / map.points : 0;
  $('map-share').textContent = map.points ? `${percent(share)} of the surface is labelled` : 'Nothing is mapped: no frame has depth within 5 m';
  tellNews(newsOf(map));
  if (isStale) outdate();
}

const newsOf = (map) => [
  `${map.points} voxels of ${map.frames} ${map.frames === 1 ? 'frame' : 'frames'}`,
  map.shown < map.points ? `${map.shown} of them shown` : '',
  map.left_out ? `${map.left_out} left out: ${map.problem}` : '',
  map.refused > 0 ? `${percent(map.refused)} of the pixels left out: the memory of the map is full` : '',
].filter((part) => part).join('; ');

function tellNews(sentence) { $('map-news').textContent = sentence; }

// A check box for each class with voxels, and one for voxels without a class.
function showLegend() {
  const focused = document.activeElement?.dataset?.mapped, labelled = shown.classes.filter(([, count]) => count > 0);
  const lines = [...labelled, [UNLABELLED, shown.points - shown.labelled]].map(([number, count]) => {
    const item = document.createElement('li'), label = document.createElement('label'), swatch = document.createElement('span');
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: !hidden.has(number) });
    box.dataset.mapped = number;
    box.onchange = () => { box.checked ? hidden.delete(number) : hidden.add(number); hide(); };
    swatch.className = number === UNLABELLED ? 'swatch unlabelled' : 'swatch';
    if (number !== UNLABELLED) swatch.style.background = colorOf(number);
    const name = number === UNLABELLED ? 'not labelled' : state.classes.find((one) => one.class === number)?.name ?? 'a class that is gone';
    label.append(box, swatch, `${name} ${percent(count / Math.max(1, shown.points))}`);
    item.append(label);
    return item;
  });
  $('map-classes').replaceChildren(...lines);
  if (focused !== undefined) $('map-classes').querySelector(`[data-mapped="${focused}"]`)?.focus();
  hide();
}

// The classes of the points are indices into the map's list.
const hide = () => viewer?.hide(new Set([...hidden].map((number) => number === UNLABELLED ? number : shown.classes.findIndex(([known]) => known === number))));

$('show-map').onclick = toggle;
