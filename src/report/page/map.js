// Shows the points of a map in WebGL, slowly turning. RECORD bytes per point, little-endian: position (3 x 16 bits, in
// steps), class (16 bits), colour (3 x 8), probability (8), normal (3 x 8, signed), and a zero byte. The page of
// fernwood map --page contains them in #map-points as Base64; those of fernwood live --serve --map and of fernwood
// teach fetch them repeatedly.
export const RECORD = 16;
const FIELD_OF_VIEW = 0.8; // radians, of the shorter side
const VOID = [128, 128, 128], CERTAINTY = [[68, 1, 84], [49, 104, 142], [53, 183, 121], [253, 231, 37]];

// ---- Calculations ----

export const pointsOf = (bytes) => ({ bytes, count: Math.floor(bytes.length / RECORD) });
export function unpack(text) {
  const letters = atob(text.trim()), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return pointsOf(bytes);
}

const number16 = ({ bytes }, i, offset) => bytes[RECORD * i + offset] | bytes[RECORD * i + offset + 1] << 8;
export const placeOf = (points, i) => [0, 2, 4].map((offset) => number16(points, i, offset));
export const classOf = (points, i) => number16(points, i, 6);

// From dark to bright for probabilities from 0 to 1.
export function certaintyColor(probability) {
  const place = Math.min(Math.max(probability, 0), 1) * (CERTAINTY.length - 1), k = Math.min(Math.floor(place), CERTAINTY.length - 2);
  return CERTAINTY[k].map((low, c) => Math.round(low + (place - k) * (CERTAINTY[k + 1][c] - low)));
}

// A colour half way to grey and half way to the colour of void, so that class colours stand out on a light and on a
// dark page.
function dimmed(color) {
  const grey = color.reduce((sum, part) => sum + part, 0) / 3;
  return color.map((part, i) => Math.round((part + grey + 2 * VOID[i]) / 4));
}

// Red, green, blue and visibility of each point. what: 'class', 'color' or 'probability'; hidden: a set of classes;
// dims: whether points without a class show their own colours, dimmed.
export function shownColors(points, colors, what, hidden, dims = false) {
  const shown = new Uint8Array(4 * points.count);
  for (let i = 0; i < points.count; ++i) {
    const label = classOf(points, i), from = RECORD * i + 8;
    if (hidden.has(label)) continue;
    const own = points.bytes.subarray(from, from + 3);
    const color = what === 'class' ? colors[label] ?? (dims ? dimmed([...own]) : VOID)
      : what === 'color' ? own : certaintyColor(points.bytes[from + 3] / 255);
    shown.set(color, 4 * i);
    shown[4 * i + 3] = 255;
  }
  return shown;
}

const share = (part, numbers) => numbers.sort((a, b) => a - b)[Math.floor(part * (numbers.length - 1))];

// The region of most points, in steps: its centre, its radius, and some of all places relative to the centre; one in a
// hundred at each end, distant speckles, is ignored. The centre is that along and across the up axis.
export function extentOf(points, up = '+y') {
  const every = Math.max(1, Math.floor(points.count / 4096)), picked = [];
  for (let i = 0; i < points.count; i += every) picked.push(placeOf(points, i));
  if (!picked.length) return { middle: [0, 0, 0], radius: 1, places: [] };
  const middle = sidesOf(up).reduce((found, axis) => {
    const along = picked.map((place) => dot(axis, place));
    return sum(found, axis, (share(0.01, along) + share(0.99, along)) / 2);
  }, [0, 0, 0]);
  const places = picked.map((place) => sum(place, middle, -1));
  return { middle, radius: Math.max(1, share(0.98, places.map((place) => Math.hypot(...place)))), places };
}

// Directions right, up and towards the viewer, for each up axis.
const SIDES = {
  '+x': [[0, -1, 0], [1, 0, 0], [0, 0, 1]], '-x': [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
  '+y': [[1, 0, 0], [0, 1, 0], [0, 0, 1]], '-y': [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
  '+z': [[1, 0, 0], [0, 0, 1], [0, -1, 0]], '-z': [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
};
// The same for an up axis or any direction of length 1.
function sidesOf(up) {
  if (SIDES[up]) return SIDES[up];
  const ahead = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], level = sum(ahead, up, -dot(ahead, up));
  const right = level.map((x) => x / Math.hypot(...level));
  return [right, up, [0, 1, 2].map((i) => right[(i + 1) % 3] * up[(i + 2) % 3] - right[(i + 2) % 3] * up[(i + 1) % 3])];
}
const sum = (a, b, factor = 1) => a.map((x, i) => x + factor * b[i]);
const dot = (a, b) => a.reduce((all, x, i) => all + x * b[i], 0);

// view: { up: an axis or a direction, yaw, pitch, distance, target }, angles in radians, lengths and positions in metres relative to the
// centre. Returns the eye, the directions right, up and back on the screen, and the column-major matrix from positions
// to the screen, for WebGL.
export function cameraOf(view, width, height, radius) {
  const [right, up, back] = sidesOf(view.up);
  const mixed = (x, y, z) => right.map((_, i) => x * right[i] + y * up[i] + z * back[i]);
  const { yaw, pitch } = view, [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  const axes = [mixed(cy, 0, -sy), mixed(-sy * sp, cp, -cy * sp), mixed(sy * cp, sp, cy * cp)];
  const eye = sum(view.target, axes[2], view.distance);
  const near = Math.max(view.distance / 200, 1e-3), far = view.distance + Math.hypot(...view.target) + 8 * radius;
  const reach = 1 / Math.tan(FIELD_OF_VIEW / 2), shorter = Math.min(width, height);
  const rows = axes.map((axis) => [...axis, -dot(axis, eye)]);
  const lines = [
    rows[0].map((x) => x * reach * shorter / width), rows[1].map((x) => x * reach * shorter / height),
    rows[2].map((x, i) => (x * (near + far) + (i === 3 ? 2 * near * far : 0)) / (near - far)), rows[2].map((x) => -x),
  ];
  return { eye, axes, matrix: [0, 1, 2, 3].flatMap((column) => lines.map((line) => line[column])), perMetre: reach * shorter / 2 };
}

export const firstView = (up, radius) => ({ up, yaw: 0.6, pitch: 0.5, distance: radius / Math.sin(FIELD_OF_VIEW / 2), target: [0, 0, 0] });
export function turn(view, yaw, pitch) {
  view.yaw = (view.yaw + yaw) % (2 * Math.PI);
  view.pitch = Math.min(Math.max(view.pitch + pitch, -1.55), 1.55);
}
export function zoom(view, factor, radius) { view.distance = Math.min(Math.max(view.distance * factor, radius / 100), radius * 20); }
// Shows the whole of a map in the current direction: the points have changed.
export const seeWhole = (view, radius) => ({ ...firstView(view.up, radius), yaw: view.yaw, pitch: view.pitch });
// The distance from which 99 in 100 of the places, in metres from the centre, are on the screen however the view is
// turned about the up axis.
export function distanceFor(places, { up, pitch }, width, height) {
  const reach = Math.min(width, height) / Math.tan(FIELD_OF_VIEW / 2), needed = places.map(() => 0);
  for (let yaw = 0; yaw < 2 * Math.PI; yaw += Math.PI / 6) {
    const { axes } = cameraOf({ up, yaw, pitch, distance: 1, target: [0, 0, 0] }, width, height, 1);
    places.forEach((place, i) => {
      const [x, y, z] = axes.map((axis) => dot(axis, place));
      needed[i] = Math.max(needed[i], z + reach * Math.max(Math.abs(x) / width, Math.abs(y) / height));
    });
  }
  return 1.03 * share(0.99, needed);
}
// Moves by metres on the screen, to the right and up.
export function pan(view, right, up) {
  const { axes } = cameraOf(view, 1, 1, 1);
  view.target = sum(sum(view.target, axes[0], -right), axes[1], -up);
}

// ---- Drawing ----

const VERTEX = `
attribute vec3 place, normal;
attribute vec4 shown;
uniform mat4 matrix;
uniform vec3 middle, eye;
uniform float scale, size, shade, through;
varying vec3 color;
void main() {
  vec3 at = (place - middle) * scale;
  gl_Position = matrix * vec4(at, 1.0);
  gl_PointSize = clamp(size / max(gl_Position.w, 1e-4), 1.0, 64.0);
  float facing = dot(normal, normalize(eye - at));
  bool isBack = through > 0.5 && dot(normal, normal) > 0.2 && facing < 0.0;
  if (shown.a == 0.0 || isBack) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  color = shown.rgb * (1.0 - shade * (1.0 - min(abs(facing), 1.0)));
}`;
const FRAGMENT = 'precision mediump float; varying vec3 color; void main() { gl_FragColor = vec4(color, 1.0); }';

function programOf(gl) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  return program;
}

// Returns functions that upload points and their colours, and draw.
function pictureOf(gl) {
  const program = programOf(gl), pointBuffer = gl.createBuffer(), shownBuffer = gl.createBuffer();
  const at = (name) => gl.getUniformLocation(program, name);
  let count = 0;
  const attribute = (name, size, type, normalized, stride, offset) => {
    const where = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, size, type, normalized, stride, offset);
  };
  gl.bindBuffer(gl.ARRAY_BUFFER, pointBuffer);
  attribute('place', 3, gl.UNSIGNED_SHORT, false, RECORD, 0);
  attribute('normal', 3, gl.BYTE, true, RECORD, 12);
  gl.bindBuffer(gl.ARRAY_BUFFER, shownBuffer);
  attribute('shown', 4, gl.UNSIGNED_BYTE, true, 0, 0);
  gl.enable(gl.DEPTH_TEST);
  const send = (buffer, bytes) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.DYNAMIC_DRAW);
  };
  return {
    load(points, shown) {
      send(pointBuffer, points.bytes);
      send(shownBuffer, shown);
      ({ count } = points);
    },
    recolor: (shown) => send(shownBuffer, shown),
    draw(camera, width, height, { middle, scale, size, shade, through }) {
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(at('matrix'), false, camera.matrix);
      gl.uniform3fv(at('middle'), middle);
      gl.uniform3fv(at('eye'), camera.eye);
      for (const [name, value] of Object.entries({ scale, shade, size: size * camera.perMetre, through: through ? 1 : 0 })) gl.uniform1f(at(name), value);
      gl.drawArrays(gl.POINTS, 0, count);
    },
  };
}

// ---- Input ----

// Draws in #map-view according to the controls around it. Returns functions that set its points, show(facts, points),
// and hide classes, hide(set); null if the browser lacks WebGL.
export function viewer($) {
  const canvas = $('map-view'), gl = canvas.getContext('webgl', { antialias: true });
  if (!gl) {
    $('map-none').hidden = false;
    $('map').hidden = true;
    return null;
  }
  let picture = pictureOf(gl), points = pointsOf(new Uint8Array()), facts = null, hidden = new Set();
  let radius = 1, origin = null, view = null; // origin: centre of the view, in metres
  let isTurning = !matchMedia('(prefers-reduced-motion: reduce)').matches, places = [], isTouched = false, isUpChosen = false, before = null, rest = 0, asked = 0;
  const colored = () => shownColors(points, facts.colors, $('map-what').value, hidden, facts.dims);

  function draw(now) {
    asked = 0;
    if (!view) return;
    if (!canvas.clientWidth) { // hidden: drawing continues when it has a size again
      before = null;
      return;
    }
    if (isTurning) {
      if (before !== null) {
        turn(view, 0.0003 * Math.min(now - before, 100), 0);
        // A software renderer pauses for as long as it draws, so that the page stays responsive.
        const took = now - before - rest;
        rest = took > 50 ? Math.min(took, 500) : 0;
      }
      before = now;
    }
    const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)), height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const size = facts.point_size * $('map-size').value / 100, shade = $('map-what').value === 'class' ? 0.45 : 0;
    const middle = origin.map((x, axis) => (x - facts.low[axis]) / facts.step);
    picture.draw(cameraOf(view, width, height, radius), width, height, { middle, scale: facts.step, size, shade, through: $('map-through').checked });
    if (isTurning) rest > 0 ? setTimeout(redraw, rest) : redraw();
  }
  const redraw = () => { asked ||= requestAnimationFrame(draw); };
  function recolor() {
    if (facts) picture.recolor(colored());
    $('map-certainty').hidden = $('map-what').value !== 'probability';
    redraw();
  }
  function setTurning(on) {
    isTurning = on;
    before = null;
    rest = 0;
    $('map-turn').setAttribute('aria-pressed', on);
    redraw();
  }
  // User input stops the turning, and the view then stays when the points change.
  const touched = (change) => {
    if (!view) return;
    change();
    isTouched = true;
    setTurning(false);
  };
  function whole(up) {
    const { middle, radius: steps, places: inSteps } = extentOf(points, up);
    places = inSteps.map((place) => place.map((x) => x * facts.step));
    radius = steps * facts.step;
    origin = middle.map((x, axis) => facts.low[axis] + x * facts.step);
  }
  // Comes as near as the canvas allows; a hidden one has no size yet.
  function fit() {
    if (places.length && canvas.clientWidth) view.distance = distanceFor(places, view, canvas.clientWidth, canvas.clientHeight);
  }
  const chosenUp = () => ($('map-up').value === 'floor' ? facts.floor : $('map-up').value);
  function seeAnew(up) {
    whole(up);
    view = firstView(up, radius);
    fit();
    isTouched = false;
    redraw();
  }
  const metresPerPixel = () => view.distance / (cameraOf(view, canvas.clientWidth, canvas.clientHeight, radius).perMetre);

  const pointers = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    touched(() => {});
  });
  canvas.addEventListener('pointermove', (event) => {
    const last = pointers.get(event.pointerId), place = [event.clientX, event.clientY];
    if (!last || !view) return;
    const [dx, dy] = sum(place, last, -1), other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, place);
    const isPan = other || event.shiftKey || event.buttons & 6, part = other ? 0.5 : 1; // of two fingers, both move
    if (other) zoom(view, Math.max(1, Math.hypot(...sum(last, other, -1))) / Math.max(1, Math.hypot(...sum(place, other, -1))), radius);
    if (isPan) pan(view, part * dx * metresPerPixel(), -part * dy * metresPerPixel());
    else turn(view, -dx * 0.006, dy * 0.006);
    redraw();
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener('dragstart', (event) => event.preventDefault());
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    touched(() => zoom(view, Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001)), radius));
  }, { passive: false });
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    if (arrow && event.shiftKey) touched(() => pan(view, ...arrow.map((x) => -x * view.distance / 20)));
    else if (arrow) touched(() => turn(view, arrow[0] * 0.1, arrow[1] * 0.1));
    else if (event.key === '+' || event.key === '=') touched(() => zoom(view, 0.9, radius));
    else if (event.key === '-') touched(() => zoom(view, 1 / 0.9, radius));
    else if (event.key === '0') $('map-reset').click();
    else if (event.key === ' ') setTurning(!isTurning);
    else return;
    event.preventDefault();
  });

  $('map-turn').addEventListener('click', () => setTurning(!isTurning));
  $('map-reset').addEventListener('click', () => {
    setTurning(false);
    if (view) seeAnew(view.up);
  });
  $('map-up').addEventListener('change', () => {
    isUpChosen = true;
    if (view) seeAnew(chosenUp());
  });
  for (const name of ['map-size', 'map-through']) $(name).addEventListener('input', redraw);
  $('map-what').addEventListener('change', recolor);
  canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => {
    picture = pictureOf(gl);
    if (facts) picture.load(points, colored());
    redraw();
  });
  new ResizeObserver(() => {
    if (view && !isTouched) fit();
    redraw();
  }).observe(canvas);
  setTurning(isTurning);
  return {
    // facts: { step, low, point_size, up, floor, colors, dims }, lengths in metres; floor: its normal, which is up then. A map whose view the user has not changed
    // is shown as a whole.
    show(newFacts, newPoints) {
      [facts, points] = [newFacts, newPoints];
      picture.load(points, colored());
      $('map-up').querySelector('[value=floor]').hidden = !facts.floor;
      if (!isUpChosen && !isTouched) $('map-up').value = facts.floor ? 'floor' : facts.up;
      const up = chosenUp();
      if (view?.up !== up) {
        seeAnew(up);
      } else if (!isTouched) {
        whole(up);
        view = seeWhole(view, radius);
        fit();
      }
      redraw();
    },
    hide(classes) {
      hidden = classes;
      recolor();
    },
  };
}

// For a page that contains its points, and check boxes for classes.
function begin($) {
  const shown = viewer($), boxes = [...document.querySelectorAll('[data-class]')];
  if (!shown) return;
  const choose = () => shown.hide(new Set(boxes.filter((box) => !box.checked).map((box) => +box.dataset.class)));
  for (const box of boxes) box.addEventListener('change', choose);
  for (const [name, on] of [['map-all', true], ['map-nothing', false]])
    $(name).addEventListener('click', () => { for (const box of boxes) box.checked = on; choose(); });
  shown.show(JSON.parse($('map-facts').textContent), unpack($('map-points').textContent));
}

if (document.getElementById('map-points')?.textContent) begin((id) => document.getElementById(id));
