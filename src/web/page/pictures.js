// Pictures from the server, as canvases draw them.

// null where there is none.
export async function picture(address) {
  const answer = await fetch(address);
  if (!answer.ok) return null;
  return createImageBitmap(await answer.blob());
}

// The same, transparent where it is black: where nothing is.
export async function overlay(address) {
  const bitmap = await picture(address);
  if (!bitmap) return null;
  const layer = new OffscreenCanvas(bitmap.width, bitmap.height), context = layer.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, layer.width, layer.height), data = pixels.data;
  for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] === 0) data[i + 3] = 0;
  context.putImageData(pixels, 0, 0);
  return layer;
}
