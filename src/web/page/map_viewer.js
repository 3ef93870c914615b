// The viewer of maps, /map.js, in a page that hears of one map after the other and fetches their points.
import { $ } from '/common.js';

// Puts it before an element. Returns what gives it points, show(facts, bytes), and hides classes, hide(set), or null where the browser has
// no WebGL.
export async function addViewer(before) {
  const [{ pointsOf, viewer }, page] = await Promise.all([import('/map.js'), fetch('/map.html')]);
  before.insertAdjacentHTML('beforebegin', await page.text());
  const made = viewer($);
  return made && { show: (facts, bytes) => made.show(facts, pointsOf(bytes)), hide: made.hide };
}

// Of the map of that number; null where a newer one has taken its place.
export async function fetchPoints(number) {
  const answer = await fetch(`/map/${number}`);
  return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
}
