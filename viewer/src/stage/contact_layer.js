// Contacts of the frame shown: points, normals, normal and friction forces, stick and slip by colour.
import { Color, Group, Matrix4, SphereGeometry, Vector3 } from 'three';
import { Arrows, overlay } from './arrows.js';
import { Contacts, SHORTEST, SOLVERS } from '../contacts.js';

export const MANY = 400; // contacts in space that would hide the bodies: shown when asked for
const LATELY = 60; // frames of a live view that say how strong forces are

export class ContactLayer {
  constructor(world, clip) {
    this.world = world;
    this.contacts = clip.contacts;
    this.group = new Group();
    this.on = { points: true, forces: true, normals: false };
    this.gain = 1;
    this.length = 0.12 * world.size; // of a typical strong force
    const most = clip.live ? clip.header.contact_limit : Math.max(1, ...Array.from({ length: clip.frames }, (_, f) => this.contacts.range(f)[1] - this.contacts.range(f)[0]));
    if (most > MANY && !world.planar && !clip.live) this.on = { points: false, forces: false, normals: false };
    const width = Math.min(0.0035 * world.size, 0.06 * world.typical);
    this.dot = Math.min(0.0065 * world.size, 0.12 * world.typical);
    this.points = overlay(new SphereGeometry(1, 8, 6), most, 12);
    this.normals = new Arrows(most, 0.5 * width, 10);
    this.forces = new Arrows(4 * most, width, 11);
    this.group.add(this.points, this.normals.group, this.forces.group);
    this.reference = this.typicalForce(clip);
    this.c = Contacts.blank();
    this.colors = { normal: new Color(), stick: new Color(), slip: new Color() };
    this.shown = { points: 0, arrows: 0, shortest: 0, solvers: 0 };
  }

  // The median of the largest forces of the frames: single impacts would make all else invisible.
  typicalForce(clip) {
    const c = Contacts.blank();
    const largest = [];
    for (let f = clip.live ? Math.max(0, clip.frames - LATELY) : 0; f < clip.frames; ++f) {
      const [begin, end] = this.contacts.range(f);
      let most = 0;
      for (let i = begin; i < end; ++i) most = Math.max(most, Math.hypot(...this.contacts.read(f, i, c).force));
      if (most > 0) largest.push(most);
    }
    largest.sort((a, b) => a - b);
    return largest.length ? largest[largest.length >> 1] : 1;
  }

  setTheme(theme) {
    for (const key of ['normal', 'stick', 'slip']) this.colors[key].set(theme[key]);
  }

  // The force as two arrows, on each free body what it feels: along the normal and across it.
  addForces(p, n, tangent) {
    const c = this.c;
    const mode = c.slip ? this.colors.slip : this.colors.stick;
    const friction = tangent.length();
    const metres = (this.gain * this.length) / this.reference;
    const limited = (force) => Math.min(force * metres, 3 * this.gain * this.length);
    if (friction > 0) tangent.divideScalar(friction);
    for (const [body, sign] of [[c.b, 1], [c.a, -1]]) {
      if (this.world.bodies[body].kind !== 'dynamic') continue;
      if (c.push > 0) this.forces.add(p, n.clone().multiplyScalar(sign), limited(c.push), this.colors.normal);
      if (friction > 1e-3 * Math.abs(c.push)) this.forces.add(p, tangent.clone().multiplyScalar(sign), limited(friction), mode);
    }
  }

  update(frame) {
    const [begin, end] = this.contacts.range(frame);
    const p = new Vector3();
    const n = new Vector3();
    const tangent = new Vector3();
    const m = new Matrix4();
    this.normals.clear();
    this.forces.clear();
    const kinds = [0, 0, 0];
    this.points.count = this.on.points ? end - begin : 0;
    for (let i = begin; i < end; ++i) {
      const c = this.contacts.read(frame, i, this.c);
      kinds[c.kind] += 1;
      p.set(...c.point);
      n.set(...c.normal);
      if (this.on.points) {
        this.points.setMatrixAt(i - begin, m.makeScale(this.dot, this.dot, this.dot).setPosition(p));
        this.points.setColorAt(i - begin, c.slip ? this.colors.slip : this.colors.stick);
      }
      if (this.on.normals) this.normals.add(p, n, 0.5 * this.length, this.colors.stick);
      if (this.on.forces) this.addForces(p, n, tangent.set(...c.force).addScaledVector(n, -c.push));
    }
    this.points.instanceMatrix.needsUpdate = true;
    this.points.instanceColor.needsUpdate = true;
    this.normals.flush();
    this.forces.flush();
    this.shown = { points: this.points.count, arrows: this.forces.used, shortest: kinds[SHORTEST], solvers: kinds[SOLVERS] };
  }
}
