// Visibility and opacity of each class on the frame: in this window only, for labels and strokes alike.
import { $ } from './common.js';
import { faded } from './pictures.js';
import { icon, state } from './state.js';
import { draw } from './view.js';

const hidden = new Set(), opacities = new Map(); // by class number; opacities from 0 to 1, default 1
const cached = new WeakMap();                    // layer -> { settings, layer }
const EYE = '<path d="M1 8c3-5 11-5 14 0-3 5-11 5-14 0z"/><circle cx="8" cy="8" r="2.2"/><path class="strike" d="M2 14 14 2"/>';

const opacityOf = (number) => hidden.has(number) ? 0 : opacities.get(number) ?? 1;

// A layer in class colours, with the current visibility of its classes.
export function seen(layer) {
  if (!layer) return layer;
  const changed = state.classes.map((one) => [one.color, opacityOf(one.class)]).filter(([, opacity]) => opacity < 1);
  if (!changed.length) return layer;
  const settings = JSON.stringify(changed);
  if (cached.get(layer)?.settings !== settings) cached.set(layer, { settings, layer: faded(layer, changed) });
  return cached.get(layer).layer;
}

// To be called after pixels of a layer were drawn.
export const forgetSeen = (layer) => cached.delete(layer);

export function eye(one) {
  const button = document.createElement('button');
  button.dataset.eye = one.class;
  button.className = 'icon eye';
  button.innerHTML = icon(EYE);
  button.onclick = () => toggle(one.class);
  button.ariaPressed = String(!hidden.has(one.class));
  button.title = button.ariaLabel = `Show ${one.name} on the frame (H)`;
  return button;
}

export function toggle(number) {
  if (number === null) return;
  hidden.has(number) ? hidden.delete(number) : hidden.add(number);
  const button = document.querySelector(`[data-eye="${number}"]`);
  if (button) button.ariaPressed = String(!hidden.has(number));
  draw();
}

// Shows a class when it is drawn.
export function reveal(number) {
  if (hidden.has(number)) toggle(number);
  if (opacities.delete(number)) followClass();
}

// The slider applies to the class that is drawn.
export function followClass() {
  const one = state.classes.find((known) => known.class === state.chosen);
  $('class-opacity').parentElement.hidden = !one;
  if (!one) return;
  $('class-opacity').value = 100 * (opacities.get(one.class) ?? 1);
  $('class-opacity').ariaLabel = `Opacity of ${one.name}`;
  $('class-opacity-name').textContent = one.name;
}

$('class-opacity').oninput = () => {
  const opacity = $('class-opacity').value / 100;
  opacity < 1 ? opacities.set(state.chosen, opacity) : opacities.delete(state.chosen);
  draw();
};
