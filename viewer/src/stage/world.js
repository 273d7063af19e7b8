// What is in the scene: bodies with their shapes, joints and springs, and where up is.
import { Quaternion, Vector3 } from 'three';

const zero = [0, 0, 0];
const unit = [1, 0, 0, 0]; // w, x, y, z

function describeShape(shape) {
  const q = shape.orientation ?? unit;
  return { ...shape, position: shape.position ?? zero, quaternion: [q[1], q[2], q[3], q[0]] };
}

function meshReach({ scale }, mesh) {
  return mesh ? Math.hypot(...[0, 1, 2].map((k) => scale[k] * Math.max(Math.abs(mesh.low[k]), Math.abs(mesh.high[k])))) : 0;
}

// The largest distance of a point of a bounded shape from the body's origin.
function reachOf(shape, meshes) {
  const size = {
    point: () => 0,
    sphere: () => shape.radius,
    box: () => Math.hypot(...shape.size) / 2,
    capsule: () => shape.radius + shape.length / 2,
    cylinder: () => Math.hypot(shape.radius, (shape.length ?? 0) / 2),
    cone: () => Math.hypot(Math.max(shape.radius, shape.top_radius ?? 0), shape.length / 2),
    ellipsoid: () => Math.max(...shape.radii),
    disc: () => shape.radius,
    ellipse: () => Math.max(...shape.radii),
    hull: () => Math.max(0, ...(shape.vertices ?? []).map((v) => Math.hypot(...v))),
    polygon: () => Math.max(0, ...(shape.vertices ?? []).map((v) => Math.hypot(...v))),
    mesh: () => meshReach(shape, meshes[shape.mesh]),
  }[shape.type];
  return size ? size() + Math.hypot(...shape.position) : 0;
}

// The axis that every free body keeps away from: no translation along it, no rotation but about it.
function planeAxis(bodies) {
  const names = ['x', 'y', 'z'];
  const free = bodies.filter((body) => body.kind === 'dynamic').map((body) => body.dof.split(/\s+/));
  if (free.length === 0) return -1;
  for (const n of [2, 1, 0]) {
    const barred = [names[n], ...names.filter((_, k) => k !== n).map((name) => 'r' + name)];
    if (free.every((dof) => !barred.some((name) => dof.includes(name)))) return n;
  }
  return -1;
}

function anchorAt(clip, body, anchor, place) {
  const p = [0, 0, 0];
  const q = [0, 0, 0, 1];
  clip.pose(body.moving, place, p, q);
  return new Vector3(...anchor).applyQuaternion(new Quaternion(...q)).add(new Vector3(...p)).toArray();
}

export class World {
  constructor(header) {
    const scene = header.scene ?? {};
    const described = new Map((scene.bodies ?? []).map((body) => [body.name, body]));
    this.meshes = scene.meshes ?? {};
    const movingAt = new Map(header.moving.map((body, m) => [body, m]));
    this.bodies = header.bodies.map((body, index) => {
      const given = described.get(body.name) ?? {};
      const q = given.orientation ?? unit;
      const shapes = (given.shapes ?? []).map(describeShape);
      const visual = (given.visual ?? []).map(describeShape);
      return {
        ...body,
        index,
        moving: movingAt.get(index) ?? -1,
        dof: given.dof ?? 'x y z rx ry rz',
        position: given.position ?? zero,
        quaternion: [q[1], q[2], q[3], q[0]],
        shapes,
        visual, // drawn in place of the shapes
        color: given.color ?? null,
        reach: Math.max(0, ...[...shapes, ...visual].map((shape) => reachOf(shape, this.meshes))),
      };
    });
    this.byName = new Map(this.bodies.map((body) => [body.name, body]));
    this.joints = (scene.joints ?? []).map((joint) => this.link(joint));
    this.springs = (scene.forces ?? []).filter((force) => force.type === 'spring').map((spring) => this.link(spring));
    this.planeAxis = planeAxis(this.bodies);
    this.planar = this.planeAxis >= 0;
    this.setAxes(scene.gravity ?? zero);
  }

  link(entry) {
    return { ...entry, ends: entry.bodies.map((name) => this.byName.get(name) ?? null) }; // null: the world
  }

  setAxes(gravity) {
    const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
    if (this.planar) {
      this.right = axes[this.planeAxis === 0 ? 1 : 0].clone();
      this.up = axes[this.planeAxis === 2 ? 1 : 2].clone();
      this.toward = new Vector3().crossVectors(this.right, this.up);
      return;
    }
    const size = gravity.map(Math.abs);
    const vertical = Math.max(...size) > 0 ? size.indexOf(Math.max(...size)) : 2;
    this.up = axes[vertical].clone().multiplyScalar(gravity[vertical] > 0 ? -1 : 1);
    this.right = axes[(vertical + 1) % 3].clone();
    this.toward = new Vector3().crossVectors(this.right, this.up);
  }

  // At some places, evenly spread over the clip.
  alongClip(clip, call) {
    const samples = Math.min(clip.frames, 60);
    for (let i = 0; i < samples; ++i) {
      const frame = samples === 1 ? 0 : Math.round((i * (clip.frames - 1)) / (samples - 1));
      call({ frame, next: frame, share: 0 });
    }
  }

  // The box that all bodies move in.
  measure(clip) {
    const lo = new Vector3(Infinity, Infinity, Infinity);
    const hi = lo.clone().negate();
    const add = (p, r) => {
      lo.min(new Vector3(p[0] - r, p[1] - r, p[2] - r));
      hi.max(new Vector3(p[0] + r, p[1] + r, p[2] + r));
    };
    for (const body of this.bodies) {
      const infinite = body.shapes.length > 0 && body.shapes.every((shape) => shape.type === 'halfspace');
      if (body.moving < 0 || infinite) continue;
      this.alongClip(clip, ({ frame }) => add([0, 1, 2].map((k) => clip.value(body.moving, k, frame)), body.reach));
    }
    for (const joint of [...this.joints, ...this.springs])
      joint.ends.forEach((body, side) => {
        if (body === null) add(joint.anchors[side], 0);
        else if (body.moving >= 0) this.alongClip(clip, (place) => add(anchorAt(clip, body, joint.anchors[side], place), 0));
      });
    if (!(lo.x <= hi.x)) for (const body of this.bodies) if (body.reach > 0) add(body.position, body.reach);
    if (!(lo.x <= hi.x)) add(zero, 1);
    this.addSurroundings(lo, hi, add);
    if (clip.live) this.addGround(lo, hi);
    this.lo = lo;
    this.hi = hi;
    this.center = lo.clone().add(hi).multiplyScalar(0.5);
    this.size = hi.distanceTo(lo) || 1;
    const reaches = this.bodies.filter((body) => body.moving >= 0 && body.reach > 0).map((body) => body.reach).sort((a, b) => a - b);
    this.typical = reaches.length ? reaches[reaches.length >> 1] : this.size / Math.max(20, 1.3 * this.bodies.length);
  }

  // Nobody knows where a live scene will go; what falls, falls to the ground.
  addGround(lo, hi) {
    const middle = lo.clone().add(hi).multiplyScalar(0.5);
    const size = hi.distanceTo(lo) || 1;
    for (const body of this.bodies)
      for (const shape of body.moving < 0 ? body.shapes : []) {
        if (shape.type !== 'halfspace') continue;
        const turn = new Quaternion(...body.quaternion);
        const n = new Vector3(...shape.normal).normalize().applyQuaternion(new Quaternion(...shape.quaternion)).applyQuaternion(turn);
        const p = new Vector3(...shape.position).applyQuaternion(turn).add(new Vector3(...body.position));
        const distance = middle.clone().sub(p).dot(n);
        const foot = middle.clone().addScaledVector(n, -distance);
        if (distance > 0 && distance < 3 * size) lo.min(foot), hi.max(foot);
      }
  }

  // Fixed bodies belong to the picture unless they would make all else tiny.
  addSurroundings(lo, hi, add) {
    const size = hi.distanceTo(lo) || 1;
    for (const body of this.bodies)
      if (body.moving < 0 && body.reach > 0 && body.reach < size && new Vector3(...body.position).distanceTo(lo) < 2 * size)
        add(body.position, body.reach);
  }
}
