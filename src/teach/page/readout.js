// What is under the pointer, in words.
import { percent } from './common.js';
import { STEPS, state } from './state.js';

// Red, green, blue and opacity of a layer's pixel.
const valuesAt = (layer, [x, y]) => layer.getContext('2d').getImageData(x, y, 1, 1).data;

function classAt(layer, pixel) {
  const [r, g, b, opacity] = layer ? valuesAt(layer, pixel) : [0, 0, 0, 0];
  return opacity ? state.classes.find(({ color }) => color[0] === r && color[1] === g && color[2] === b)?.name : undefined;
}

function depthAt(layer, pixel) {
  const [high, low] = valuesAt(layer, pixel), depth = 256 * high + low;
  return depth ? `${(depth / 1000).toFixed(2)} m` : 'no depth';
}

export function readout() {
  const pixel = state.pointer?.map((step) => Math.floor(step / STEPS));
  if (!pixel || !state.image || pixel[0] < 0 || pixel[1] < 0 || pixel[0] >= state.image.width || pixel[1] >= state.image.height) return '';
  const drawn = classAt(state.truth, pixel), found = classAt(state.labels, pixel);
  const parts = [drawn && found && drawn !== found ? `${drawn} (model: ${found})` : drawn ?? found];
  if (state.uncertainty) parts.push(`uncertainty ${percent(valuesAt(state.uncertainty, pixel)[0] / 255)}`);
  if (state.millimetres) parts.push(depthAt(state.millimetres, pixel));
  return parts.filter((part) => part).join(' · ');
}
