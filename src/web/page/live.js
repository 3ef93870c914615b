// The page of `fernwood live --serve`; include/fernwood/web/live_page.h documents its messages and requests.
import { $, openSocket, percent, showStatus } from './common.js';
import { addViewer, fetchPoints } from './map_viewer.js';
import { faded, overlay, picture } from './pictures.js';

const state = { classes: [], hidden: new Set(), newest: null, drawn: null, busy: false, paused: false, ended: false };
// Views in their order; the overlay covers the first available one of the two pictures.
const views = ['overlay', 'color', 'depth'].map((name) => {
  const canvas = Object.assign(document.createElement('canvas'), { hidden: true, title: 'Click on a pixel to see why it gets its class' });
  canvas.dataset.view = name;
  canvas.setAttribute('role', 'img');
  canvas.ariaLabel = { color: 'Colour', depth: 'Depth', overlay: 'Labels' }[name];
  canvas.onclick = (event) => explain(canvas, event);
  name === 'overlay' ? $('views').prepend(canvas) : $('others').append(canvas);
  return { name, canvas };
});

let socket = null;

function hear(message) {
  if (message.classes) {
    Object.assign(state, { classes: message.classes, newest: null, drawn: null, map: null, mapDrawn: null });
    $('title').textContent = `${message.source} · ${message.device}`;
    document.title = `fernwood live: ${message.source}`;
    showLegend();
  }
  if (message.single !== undefined) {
    $('steady-choice').hidden = false;
    $('steady').checked = !message.single;
  }
  if (message.trouble !== undefined) showStatus(message.trouble, true);
  if (message.map !== undefined) {
    state.map = message.map;
    $('map-choice').hidden = false;
    showMap();
  }
  if (message.shown === undefined) return;
  state.newest = message;
  if (!state.paused) showNewest();
}

// Displays one frame at a time, always the newest; frames that arrive meanwhile are skipped.
async function showNewest() {
  if (state.busy) return;
  state.busy = true;
  try {
    while (state.newest && state.newest.shown !== state.drawn?.shown && !state.paused) await show(state.newest);
  } finally {
    state.busy = false;
  }
}

async function show(news) {
  const fetched = (what, wanted, how) => wanted ? how(`shown/${news.shown}/${what}`) : null;
  const [color, depth, labels] = await Promise.all([
    fetched('color', news.color, picture), fetched('depth', news.depth && (!news.color || $('depth').checked), picture),
    fetched('labels', true, overlay)]);
  if (!labels) { state.drawn = news; return; } // the frame is no longer available; a newer one follows
  state.drawn = { ...news, pictures: { color, depth }, labels };
  draw();
  showObjects(news.objects);
  showStatus(`${news.rate.toFixed(1)} frames/s, latency ${news.latency_ms.toFixed(0)} ms, 95 % within ${news.p95_ms.toFixed(0)} ms, ${news.dropped} dropped`);
}

// Displays the newest map, one at a time as with frames; the script of the viewer is loaded with the first map.
async function showMap() {
  $('map-panel').hidden = $('map-choice').hidden || !$('map-on').checked;
  if (state.mapBusy || $('map-panel').hidden || state.paused) return;
  state.mapBusy = true;
  try {
    while (state.map && state.map.number !== state.mapDrawn && $('map-on').checked && !state.paused) {
      const news = state.map, bytes = await fetchPoints(news.number);
      if (!bytes) { // a newer map exists and has been announced
        if (news === state.map) return;
        continue;
      }
      if (state.viewer === undefined) {
        state.viewer = await addViewer($('map-news'));
        state.viewer?.hide(state.hidden);
      }
      state.mapDrawn = news.number;
      state.viewer?.show(news, bytes);
      const left = news.left_out ? `, ${news.left_out} left out` : '', shown = news.shown < news.points ? `, ${news.shown} shown` : '';
      $('map-news').textContent = `${news.points} points of ${news.frames} frames${left}${shown}`;
    }
  } finally {
    state.mapBusy = false;
  }
}

function draw() {
  if (!state.drawn?.labels) return;
  const { pictures, labels } = state.drawn, under = pictures.color ?? pictures.depth;
  for (const { name, canvas } of views) {
    const image = name === 'overlay' ? under : pictures[name];
    canvas.hidden = !image || (name !== 'overlay' && !$(name).checked);
    $('others').hidden = views.slice(1).every((view) => view.canvas.hidden);
    if (canvas.hidden) continue;
    if (canvas.width !== image.width || canvas.height !== image.height) Object.assign(canvas, { width: image.width, height: image.height });
    const ink = canvas.getContext('2d');
    ink.globalAlpha = 1;
    ink.drawImage(image, 0, 0);
    if (name !== 'overlay') continue;
    ink.globalAlpha = $('blend').value / 100;
    ink.drawImage(state.hidden.size ? faded(labels, [...state.hidden].map((i) => [state.classes[i].color, 0])) : labels, 0, 0);
  }
}

// Nearest first; "–": not in view, so that it has no area.
function showObjects(objects) {
  $('objects-choice').hidden = !objects;
  $('objects-panel').hidden = !objects || !$('objects-on').checked;
  if ($('objects-panel').hidden) return;
  $('objects-text').textContent = objects.text;
  $('objects-more').textContent = objects.more ? `and ${objects.more} more` : '';
  $('objects').replaceChildren(...objects.rows.map((one) => {
    const { name, color } = state.classes[one.class], row = document.createElement('tr'), swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = `rgb(${color.join(' ')})`;
    const measure = (value, digits, unit) => value === null ? '–' : `${value.toFixed(digits)} ${unit}`;
    for (const cell of [one.id ?? '–', [swatch, name], percent(one.confidence), measure(one.distance_m, 1, 'm'), measure(one.area_m2, 2, 'm²'),
      one.unseen_s > 0 ? `${one.unseen_s.toFixed(0)} s ago` : 'now']) row.insertCell().append(...[cell].flat());
    return row;
  }));
}

function showLegend() {
  $('legend').replaceChildren(...state.classes.map((one, i) => {
    const item = document.createElement('li'), button = document.createElement('button'), swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = `rgb(${one.color.join(' ')})`;
    button.append(swatch, one.name);
    button.ariaPressed = String(!state.hidden.has(i));
    button.onclick = () => { state.hidden.has(i) ? state.hidden.delete(i) : state.hidden.add(i); showLegend(); draw(); state.viewer?.hide(state.hidden); };
    item.append(button);
    return item;
  }));
}

async function explain(canvas, event) {
  if (!state.drawn) return;
  // The canvas shows its picture completely, with margins beside it.
  const box = canvas.getBoundingClientRect(), scale = Math.min(box.width / canvas.width, box.height / canvas.height);
  const x = Math.floor((event.clientX - box.left - (box.width - scale * canvas.width) / 2) / scale);
  const y = Math.floor((event.clientY - box.top - (box.height - scale * canvas.height) / 2) / scale);
  if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) return;
  const answer = await fetch(`shown/${state.drawn.shown}/why?x=${x}&y=${y}`);
  if (!answer.ok) return showWhy([line(await answer.text() + ' Pause, and click again.')]);
  const why = await answer.json();
  showWhy([line(why.pixel), bars(why.classes), ...why.trees.slice(0, 6).map(testsOf)]);
}

const line = (text) => Object.assign(document.createElement('p'), { textContent: text });
function showWhy(parts) {
  $('why-text').replaceChildren(...parts);
  $('why').hidden = !parts.length;
}

function table(caption, rows) {
  const element = document.createElement('table');
  if (caption) element.createCaption().textContent = caption;
  for (const cells of rows) {
    const row = element.insertRow();
    for (const cell of cells) row.insertCell().append(cell);
  }
  return element;
}

function bars(classes) {
  const sorted = [...classes].sort((a, b) => b.share - a.share).slice(0, 8);
  return table('', sorted.map((one) => {
    const bar = Object.assign(document.createElement('span'), { className: 'bar' });
    bar.style.background = `rgb(${one.color.join(' ')})`;
    bar.style.width = `${Math.max(1, 100 * one.share)}px`;
    return [one.name, percent(one.share, 1), bar];
  }));
}

const testsOf = (tree, i) =>
  table(`tree ${i + 1}: ${tree.answer}`, tree.tests.slice(0, 8).map((test) => [test.channels, test.response, test.side]));

$('why-close').onclick = () => showWhy([]);
$('blend').oninput = draw;
for (const name of ['color', 'depth']) $(name).onchange = draw;
$('pause').onclick = () => {
  state.paused = !state.paused;
  $('pause').ariaPressed = String(state.paused);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ hold: state.paused ? state.drawn?.shown ?? null : null }));
  if (!state.paused) {
    showNewest();
    showMap();
  }
};
$('map-on').onchange = showMap;
$('objects-on').onchange = () => showObjects(state.drawn?.objects);
$('steady').onchange = () => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ single: !$('steady').checked }));
};
document.onkeydown = (event) => {
  if (event.key === 'Escape') showWhy([]);
  if (event.key === 't' && !event.ctrlKey && !event.metaKey && !event.altKey && !$('steady-choice').hidden) $('steady').click();
  if (event.key !== ' ' || event.target.matches('button, input, select, #map-view')) return;
  event.preventDefault();
  $('pause').click();
};
openSocket((opened) => { socket = opened; }, hear, (why) => showStatus(why || 'the run has ended, or fernwood cannot be reached', true));
