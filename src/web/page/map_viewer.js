// The map viewer, /map.js, in a page that is notified of new maps and fetches their points.
import { $ } from './common.js';

// Inserts the viewer before an element. Returns show(facts, bytes), which displays points, and hide(set), which hides
// classes; null if the browser has no WebGL.
export async function addViewer(before) {
  const [{ pointsOf, viewer }, page] = await Promise.all([import('./map.js'), fetch('map.html')]);
  before.insertAdjacentHTML('beforebegin', await page.text());
  const made = viewer($);
  return made && { show: (facts, bytes) => made.show(facts, pointsOf(bytes)), hide: made.hide };
}

// The points of the map with that number; null if a newer map has replaced it.
export async function fetchPoints(number) {
  const answer = await fetch(`map/${number}`);
  return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
}
