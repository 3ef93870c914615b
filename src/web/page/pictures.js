// Pictures from the server, in the form that canvases draw.

// The picture at an address; null if the server has none.
export async function picture(address) {
  const answer = await fetch(address);
  if (!answer.ok) return null;
  return createImageBitmap(await answer.blob());
}

// The same, with its pixels changed. change(data, columns) edits their red, green, blue and opacity values in place.
async function changed(address, change) {
  const bitmap = await picture(address);
  if (!bitmap) return null;
  const layer = new OffscreenCanvas(bitmap.width, bitmap.height), context = layer.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, layer.width, layer.height);
  change(pixels.data, layer.width);
  context.putImageData(pixels, 0, 0);
  return layer;
}

// The same as a canvas, whose pixels can be read.
export const readable = (address) => changed(address, () => {});

// Transparent where the picture is black, which means no class.
export const overlay = (address) => changed(address, (data) => {
  for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] === 0) data[i + 3] = 0;
});

// The same in diagonal stripes, pale between them.
export const hatched = (address) => changed(address, (data, width) => {
  for (let i = 0; i < data.length; i += 4) {
    const pixel = i / 4, isStripe = (pixel % width + Math.floor(pixel / width)) % 8 < 3;
    data[i + 3] = data[i] + data[i + 1] + data[i + 2] === 0 ? 0 : isStripe ? 210 : 60;
  }
});

// A grey picture with this opacity, from 0 to 255.
export const greys = (address, opacity) => changed(address, (data) => {
  for (let i = 0; i < data.length; i += 4) data[i + 3] = opacity;
});

// A copy of a layer. opacities: [[[red, green, blue], 0 to 1], …], factors of the opacity for pixels of these colours.
export function faded(layer, opacities) {
  const copy = new OffscreenCanvas(layer.width, layer.height), context = copy.getContext('2d');
  context.drawImage(layer, 0, 0);
  const pixels = context.getImageData(0, 0, copy.width, copy.height), { data } = pixels;
  const known = new Map(opacities.map(([[r, g, b], opacity]) => [r << 16 | g << 8 | b, opacity]));
  for (let i = 0; i < data.length; i += 4) data[i + 3] *= known.get(data[i] << 16 | data[i + 1] << 8 | data[i + 2]) ?? 1;
  context.putImageData(pixels, 0, 0);
  return copy;
}
