// Pictures from the server, as canvases draw them.

// null where there is none.
export async function picture(address) {
  const answer = await fetch(address);
  if (!answer.ok) return null;
  return createImageBitmap(await answer.blob());
}

// The same with other pixels. change: of their red, green, blue and opacity, in place.
async function changed(address, change) {
  const bitmap = await picture(address);
  if (!bitmap) return null;
  const layer = new OffscreenCanvas(bitmap.width, bitmap.height), context = layer.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, layer.width, layer.height);
  change(pixels.data);
  context.putImageData(pixels, 0, 0);
  return layer;
}

// Transparent where it is black: where nothing is.
export const overlay = (address) => changed(address, (data) => {
  for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] === 0) data[i + 3] = 0;
});

// Of one colour, as opaque as the picture is bright.
export const veil = (address, [r, g, b]) => changed(address, (data) => {
  for (let i = 0; i < data.length; i += 4) [data[i], data[i + 1], data[i + 2], data[i + 3]] = [r, g, b, data[i]];
});
