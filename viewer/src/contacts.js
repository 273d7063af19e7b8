// The contacts of all frames: bodies, mode, point, normal and force on the second body.
import { signed16, wordAt, zigzagAt } from './planes.js';

// Kinds of forces: motion and laws leave no other; the shortest of several; one of several, as the
// solver has it.
export const [UNIQUE, SHORTEST, SOLVERS] = [0, 1, 2];

const COLUMNS = 8; // point x y z, octahedral normal u v, force x y z

export class Contacts {
  constructor(header, sections) {
    const counts = sections.contact_count;
    this.lo = header.contact_lo;
    this.quantum = header.contact_quantum;
    this.scale = sections.force_scale;
    this.flags = sections.contact_flags;
    this.first = new Uint32Array(counts.length + 1);
    for (let f = 0; f < counts.length; ++f) this.first[f + 1] = this.first[f] + counts[f];
    this.readBodies(sections.contact_bodies);
    this.readColumns(sections.contact_columns);
  }

  get total() {
    return this.flags.length;
  }

  readBodies(bytes) {
    const n = this.total;
    this.a = new Int32Array(n);
    this.b = new Int32Array(n);
    for (let f = 0; f + 1 < this.first.length; ++f) {
      let a = 0;
      let b = 0;
      for (let i = this.first[f]; i < this.first[f + 1]; ++i) {
        this.a[i] = a = (a + wordAt(bytes, 0, n, i)) | 0;
        this.b[i] = b = (b + wordAt(bytes, 4 * n, n, i)) | 0;
      }
    }
  }

  // A contact is the difference to the same one in the frame before: same bodies, same place among
  // the contacts of these bodies. Both frames are sorted by bodies.
  readColumns(bytes) {
    const n = this.total;
    const values = new Uint16Array(COLUMNS * n);
    const { a, b, first } = this;
    for (let f = 0; f + 1 < first.length; ++f) {
      const end = f > 0 ? first[f] : 0;
      let j = f > 0 ? first[f - 1] : 0;
      for (let i = first[f]; i < first[f + 1]; ++i) {
        while (j < end && (a[j] < a[i] || (a[j] === a[i] && b[j] < b[i]))) ++j;
        const known = j < end && a[j] === a[i] && b[j] === b[i];
        for (let k = 0; k < COLUMNS; ++k)
          values[COLUMNS * i + k] = (known ? values[COLUMNS * j + k] : 0) + zigzagAt(bytes, 2 * k * n, n, i);
        if (known) ++j;
      }
    }
    this.values = values;
  }

  touches(frame, i, body) {
    return this.a[i] === body || this.b[i] === body;
  }

  range(frame) {
    return [this.first[frame], this.first[frame + 1]];
  }

  // Writes contact i of a frame into `out`: point, normal, force (on body b), mode, colliding, kind
  // of the force.
  read(frame, i, out) {
    const v = this.values;
    const at = COLUMNS * i;
    out.a = this.a[i];
    out.b = this.b[i];
    out.slip = (this.flags[i] & 3) === 2;
    out.colliding = (this.flags[i] & 4) !== 0;
    out.kind = this.flags[i] >> 3;
    for (let k = 0; k < 3; ++k) {
      out.point[k] = this.lo[k] + this.quantum[k] * v[at + k];
      out.force[k] = (signed16(v[at + 5 + k]) / 32767) * this.scale[frame];
    }
    let x = signed16(v[at + 3]) / 2047;
    let y = signed16(v[at + 4]) / 2047;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z < 0) {
      const u = x;
      x = (1 - Math.abs(y)) * (u < 0 ? -1 : 1);
      y = (1 - Math.abs(u)) * (y < 0 ? -1 : 1);
    }
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    out.normal[0] = x / size;
    out.normal[1] = y / size;
    out.normal[2] = z / size;
    out.push = out.force[0] * out.normal[0] + out.force[1] * out.normal[1] + out.force[2] * out.normal[2];
    return out;
  }

  static blank() {
    return { a: 0, b: 0, slip: false, colliding: false, kind: UNIQUE, point: [0, 0, 0], normal: [0, 0, 1], force: [0, 0, 0], push: 0 };
  }
}
