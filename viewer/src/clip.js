// A recorded motion: times, figures of the steps, curves of the moving bodies, contacts. The rest of
// the player asks it for "this body at this time" and knows nothing of how it is stored.
import { Contacts } from './contacts.js';
import { CHANNELS, Motion } from './stage/motion.js';
import { zigzagAt } from './planes.js';

export class Clip extends Motion {
  constructor({ header, sections }) {
    super();
    this.header = header;
    this.time = sections.time;
    this.step = sections.step;
    this.frames = this.time.length;
    this.lo = sections.lo;
    this.quantum = sections.quantum;
    this.readCurves(sections.curves);
    this.contacts = new Contacts(header, sections);
    this.figures = {};
    header.figures.forEach((name, k) => {
      this.figures[name] = sections.figures.subarray(k * this.frames, (k + 1) * this.frames);
    });
    this.figures.total = Float32Array.from(this.figures.kinetic, (x, i) => x + this.figures.potential[i]);
  }

  readCurves(bytes) {
    const n = this.frames;
    const all = bytes.length / 2;
    this.curve = new Int32Array(this.lo.length).fill(-1);
    this.samples = new Uint16Array(all);
    let at = 0;
    for (let c = 0; c < this.lo.length; ++c) {
      if (this.quantum[c] === 0) continue;
      this.curve[c] = at;
      let x = 0;
      for (let f = 0; f < n; ++f, ++at) this.samples[at] = x = (x + zigzagAt(bytes, 0, all, at)) & 0xffff;
    }
  }

  // Channel k of moving body m in a frame.
  value(m, k, frame) {
    const c = CHANNELS * m + k;
    return this.curve[c] < 0 ? this.lo[c] : this.lo[c] + this.quantum[c] * this.samples[this.curve[c] + frame];
  }
}
