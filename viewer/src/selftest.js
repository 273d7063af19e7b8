// What `#selftest` behind the address runs: load, play, scrub, pick, plots, arrows. The result is JSON
// in an element, for a browser that is driven by a script.
import { el } from './dom.js';
import { recipe } from './stage/geometry.js';

export function watchErrors() {
  const errors = [];
  window.addEventListener('error', (event) => errors.push(String(event.message)));
  window.addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
  document.addEventListener('securitypolicyviolation', (event) => errors.push('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
  for (const name of ['error', 'warn']) {
    const original = console[name].bind(console);
    console[name] = (...words) => {
      errors.push(words.map(String).join(' '));
      original(...words);
    };
  }
  return errors;
}

// Draws the next picture, 20 ms after the one before on a clock of its own: a browser without a screen
// may never ask for one.
let clock = 0;
function picture(player) {
  player.stale = true;
  player.picture((clock += 20));
}

// How many colours the canvas shows in a grid of places: one means that nothing was drawn.
function colorsSeen(player) {
  const { canvas } = player;
  player.stage.render();
  const copy = document.createElement('canvas');
  copy.width = 64;
  copy.height = 64;
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0, 64, 64);
  const data = context.getImageData(0, 0, 64, 64).data;
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
}

function inked(canvas) {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++count;
  return count;
}

// Presses on the middle of each free body in turn until one answers with its own name.
function pickOne(player) {
  const { stage, world, canvas } = player;
  const box = canvas.getBoundingClientRect();
  for (const body of world.bodies.filter((candidate) => candidate.kind === 'dynamic')) {
    const [x, y] = stage.camera.project(stage.poses.position(body), box.width, box.height);
    const event = { clientX: box.left + x, clientY: box.top + y, button: 0, pointerId: 1, bubbles: true };
    for (const type of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(type, event));
    const picked = world.bodies[stage.selected];
    if (picked === body) return { name: picked.name, shown: player.panel.title.textContent, ok: picked.name === player.panel.title.textContent };
  }
  return { ok: false };
}

// Corners of the mesh of every kind of shape; the surface is closed if its vector area is zero.
function meshes() {
  const shapes = [
    { type: 'point' }, { type: 'sphere', radius: 1 }, { type: 'box', size: [1, 2, 3] }, { type: 'capsule', radius: 1, length: 2 },
    { type: 'cylinder', radius: 1, length: 2 }, { type: 'cone', radius: 1, length: 2 }, { type: 'cone', radius: 1, top_radius: 0.5, length: 2 },
    { type: 'ellipsoid', radii: [1, 2, 3] }, { type: 'disc', radius: 1 }, { type: 'ellipse', radii: [2, 1] },
    { type: 'hull', vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]] },
    { type: 'polygon', vertices: [[0, 0], [0, 1], [1, 1], [1, 0]] },
  ];
  return Object.fromEntries(shapes.map((shape) => {
    const p = recipe(shape, { detail: 3, thickness: 1, marker: 1 }).make().getAttribute('position').array;
    const area = [0, 0, 0];
    for (let i = 0; i < p.length; i += 9) {
      const u = [0, 1, 2].map((k) => p[i + 3 + k] - p[i + k]);
      const v = [0, 1, 2].map((k) => p[i + 6 + k] - p[i + k]);
      [0, 1, 2].forEach((k) => { area[k] += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]; });
    }
    return [shape.type, { corners: p.length / 3, open: Math.hypot(...area) }];
  }));
}

// How often each mesh of the picture is drawn, and its corners; first what is seen, then what touches.
function looks({ stage }) {
  const list = () => stage.bodies.meshes.map((mesh) => ({ times: mesh.count, corners: mesh.geometry.getAttribute('position').count, color: mesh.instanceColor ? [...mesh.instanceColor.array.slice(0, 3)] : null }));
  stage.bodies.paint(-1); // nothing is selected
  const seen = list();
  stage.bodies.setContactGeometry(true);
  const touching = list();
  stage.bodies.setContactGeometry(false);
  return { seen, touching };
}

function press(key) {
  document.getElementById('cairn-player').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}

// What the timeline says under the pointer, at the first impact and where there is none for longest.
function hovered({ clip, timeline }) {
  const at = (t) => {
    const box = timeline.canvas.getBoundingClientRect();
    timeline.canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + timeline.x(t, box.width), clientY: box.top + 3, bubbles: true }));
    return timeline.canvas.title;
  };
  const times = [...clip.time].filter((_, f) => clip.figures.impacts[f] > 0);
  const marks = [clip.start, ...times, clip.end];
  let quiet = 1;
  for (let i = 2; i < marks.length; ++i) if (marks[i] - marks[i - 1] > marks[quiet] - marks[quiet - 1]) quiet = i;
  return { impact: times.length > 0 ? at(times[0]) : '', quiet: at((marks[quiet] + marks[quiet - 1]) / 2) };
}

export function selfTest(player, errors) {
  const { clip, playback, stage, world } = player;
  const result = { frames: clip.frames, bodies: world.bodies.length, planar: world.planar, title: document.title };
  picture(player);
  result.colors = colorsSeen(player);

  playback.play();
  const from = playback.t;
  for (let i = 0; i < 3; ++i) picture(player);
  result.played = playback.t > from;
  playback.pause();

  const middle = (clip.start + clip.end) / 2;
  const box = player.timeline.canvas.getBoundingClientRect();
  player.timeline.canvas.dispatchEvent(new PointerEvent('pointerdown', { clientX: box.left + box.width / 2, clientY: box.top + 3, button: 0, pointerId: 1, bubbles: true }));
  result.scrubbed = Math.abs(playback.t - middle) < 0.02 * (clip.end - clip.start);
  playback.seek(clip.time[clip.frames >> 1]);
  press('ArrowRight');
  result.stepped = playback.t === clip.time[(clip.frames >> 1) + 1];
  playback.seek(clip.end);
  picture(player);
  result.contacts = { ...stage.contacts.shown, expected: clip.figures.active[clip.frames - 1] };
  const last = world.bodies.filter((body) => body.moving >= 0).map((body) => [body.name, stage.poses.position(body).toArray()]);
  result.last = Object.fromEntries(last.slice(0, 2000));

  player.look('front');
  picture(player);
  result.pick = pickOne(player);
  picture(player);
  result.plots = player.plots.all.filter((plot) => !plot.element.hidden).map((plot) => ({ title: plot.title.textContent, ink: inked(plot.canvas), values: plot.legend.textContent }));
  result.timeline = { ...player.timeline.shown, ...hovered(player) };
  result.cursor = player.plots.all[1].cursor.style.left !== '';
  for (const name of player.switches.filter((entry) => entry.get && entry.name !== 'theme').map((entry) => entry.name)) {
    player.flip(name);
    picture(player);
    player.flip(name);
  }
  player.setTheme(!player.dark);
  picture(player);
  result.markup = document.querySelectorAll('#cairn-player img, #cairn-player script, #cairn-player iframe').length;
  result.requests = performance.getEntriesByType('resource').map((entry) => entry.name);
  result.meshes = meshes();
  result.looks = looks(player);
  result.names = world.bodies.slice(0, 50).map((body) => body.name);
  result.errors = errors;
  document.body.append(el('pre', { id: 'selftest-result', hidden: true, text: JSON.stringify(result) }));
}
