// The frames of a simulation that goes on: as they come, the last ones kept to look back at. Answers
// what a recorded clip answers (clip.js).
import { CHANNELS, Motion } from '../stage/motion.js';

const MEMORY = 24e6; // bytes of frames kept, about
const MOST = 1200;
const LEAST = 60;
const HEAD = 16; // version, run, bodies, contacts: 32 bits each
const NUMBERS = ['t', 'step', 'h', 'factor', 'worst', 'steps', 'rejected'];
const CONTACT = 12; // words: bodies a and b, flags, point, normal, force

// From bytes to { run, t, ..., figures, bodies, contacts }.
export function readFrame(buffer, names) {
  const [version, run, bodies, contacts] = new Uint32Array(buffer, 0, 4);
  if (version !== 1) throw new Error('the program that serves this page is of another version');
  const view = new DataView(buffer);
  const frame = { run };
  NUMBERS.forEach((name, i) => { frame[name] = view.getFloat64(HEAD + 8 * i, true); });
  let at = HEAD + 8 * NUMBERS.length;
  frame.figures = names.map((_, i) => view.getFloat64(at + 8 * i, true));
  at += 8 * names.length;
  frame.bodies = new Float32Array(buffer, at, CHANNELS * bodies);
  at += 4 * CHANNELS * bodies;
  frame.contacts = { count: contacts, words: new Int32Array(buffer, at, CONTACT * contacts), numbers: new Float32Array(buffer, at, CONTACT * contacts) };
  return frame;
}

class LiveContacts {
  constructor() {
    this.of = []; // by frame
  }

  range(frame) {
    return [0, this.of[frame]?.count ?? 0];
  }

  touches(frame, i, body) {
    const { words } = this.of[frame];
    return words[CONTACT * i] === body || words[CONTACT * i + 1] === body;
  }

  read(frame, i, out) {
    const { words, numbers } = this.of[frame];
    const at = CONTACT * i;
    out.a = words[at];
    out.b = words[at + 1];
    out.slip = (words[at + 2] & 3) === 2;
    out.colliding = (words[at + 2] & 4) !== 0;
    out.kind = words[at + 2] >> 3;
    for (let k = 0; k < 3; ++k) {
      out.point[k] = numbers[at + 3 + k];
      out.normal[k] = numbers[at + 6 + k];
      out.force[k] = numbers[at + 9 + k];
    }
    out.push = out.force[0] * out.normal[0] + out.force[1] * out.normal[1] + out.force[2] * out.normal[2];
    return out;
  }
}

// q and -q are one rotation: each is taken on the side of the one before it.
function alignRotations(bodies, before) {
  for (let m = 0; m < bodies.length; m += CHANNELS) {
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += bodies[m + k] * before[m + k];
    if (dot < 0) for (let k = 3; k < 7; ++k) bodies[m + k] *= -1;
  }
}

export class LiveClip extends Motion {
  constructor(header) {
    super();
    this.live = true;
    this.header = header;
    this.capacity = Math.max(LEAST, Math.min(MOST, Math.floor(MEMORY / (1 + 4 * CHANNELS * header.moving.length))));
    this.contacts = new LiveContacts();
    this.figures = Object.fromEntries([...header.figures, 'total'].map((name) => [name, []]));
    this.time = [];
    this.step = [];
    this.bodies = [];
    this.newest = null;
  }

  get frames() {
    return this.time.length;
  }

  // All that has one entry a frame.
  get columns() {
    return [this.time, this.step, this.bodies, this.contacts.of, ...Object.values(this.figures)];
  }

  cut(first, count) {
    for (const column of this.columns) column.splice(first, count);
  }

  push(frame) {
    if (this.newest && frame.run !== this.newest.run) this.cut(0, this.frames); // a reset
    const last = this.frames - 1;
    if (last >= 0 && frame.t <= this.time[last]) this.cut(last, 1); // the same moment, told again
    if (this.frames >= this.capacity) this.cut(0, this.capacity >> 2);
    if (this.frames > 0) alignRotations(frame.bodies, this.bodies[this.frames - 1]);
    this.newest = frame;
    this.time.push(frame.t);
    this.step.push(frame.step);
    this.bodies.push(frame.bodies);
    this.contacts.of.push(frame.contacts);
    this.header.figures.forEach((name, k) => this.figures[name].push(frame.figures[k]));
    const f = this.figures;
    f.total.push(f.kinetic[f.kinetic.length - 1] + f.potential[f.potential.length - 1]);
  }

  value(m, k, frame) {
    return this.bodies[frame][CHANNELS * m + k];
  }
}
