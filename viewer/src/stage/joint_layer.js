// Joints and springs: bones from a body to its anchors, axes of hinges and slides, supports in the
// world, rods, springs.
import { BoxGeometry, Color, Group, Matrix4, Quaternion, SphereGeometry, Vector3 } from 'three';
import { Arrows, overlay } from './arrows.js';

export class JointLayer {
  constructor(world, poses) {
    this.world = world;
    this.poses = poses;
    this.group = new Group();
    const links = world.joints.length + world.springs.length;
    this.width = Math.min(0.003 * world.size, 0.1 * world.typical);
    this.lines = new Arrows(20 * links, this.width, 6);
    this.pins = overlay(new SphereGeometry(1, 10, 8), Math.max(1, 2 * links), 8);
    this.supports = overlay(new BoxGeometry(1, 1, 1), Math.max(1, 2 * links), 7);
    this.group.add(this.lines.group, this.pins, this.supports);
    this.colors = { joint: new Color(), line: new Color() };
    this.group.visible = links > 0;
  }

  setTheme(theme) {
    this.colors.joint.set(theme.joint);
    this.colors.line.set(theme.line);
  }

  update() {
    this.lines.clear();
    this.pins.count = this.supports.count = 0;
    for (const joint of this.world.joints) this.addJoint(joint);
    for (const spring of this.world.springs) this.addSpring(spring);
    this.lines.flush();
    for (const mesh of [this.pins, this.supports]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }

  addJoint(joint) {
    const ends = joint.ends.map((body, side) => this.addEnd(body, joint.anchors[side]));
    if (joint.type === 'distance') this.lines.line(ends[0], ends[1], this.colors.joint);
    if (joint.type === 'prismatic') this.addAxis(joint, ends[1], 0.25 * this.world.size);
    if (joint.type === 'revolute' && !this.world.planar) this.addAxis(joint, ends[1], 0.04 * this.world.size);
  }

  addAxis(joint, middle, reach) {
    const axis = new Vector3(...(joint.axis ?? [0, 0, 1])).normalize();
    const body = joint.ends[0];
    if (body) axis.transformDirection(this.poses.matrices[body.index]);
    this.lines.line(middle.clone().addScaledVector(axis, -reach), middle.clone().addScaledVector(axis, reach), this.colors.line, 0.4 * this.width);
  }

  // The anchor in the world; a bone from the body's origin to it, a pin on it, a support below a pin
  // of the world.
  addEnd(body, anchor) {
    const p = this.poses.point(body, anchor, new Vector3());
    const m = new Matrix4();
    if (body) {
      if (body.shapes.length === 0) this.lines.line(this.poses.position(body), p, this.colors.joint);
      const r = 1.9 * this.width;
      this.put(this.pins, m.makeScale(r, r, r).setPosition(p));
      return p;
    }
    const s = 5 * this.width;
    this.put(this.supports, m.compose(p, new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.world.up), new Vector3(s, s, s)));
    return p;
  }

  put(mesh, matrix) {
    mesh.setMatrixAt(mesh.count, matrix);
    mesh.setColorAt(mesh.count, this.colors.joint);
    mesh.count += 1;
  }

  // A zigzag between the anchors.
  addSpring(spring) {
    const [a, b] = spring.ends.map((body, side) => this.addEnd(body, spring.anchors[side]));
    const along = b.clone().sub(a);
    const across = new Vector3().crossVectors(along, this.world.planar ? this.world.toward : this.world.up);
    if (across.lengthSq() === 0) across.crossVectors(along, this.world.right);
    across.setLength(3.5 * this.width);
    let before = a;
    const turns = 12;
    for (let i = 1; i <= turns; ++i) {
      const p = a.clone().addScaledVector(along, i / turns);
      if (i > 1 && i < turns) p.addScaledVector(across, i % 2 ? 1 : -1);
      this.lines.line(before, p, this.colors.joint);
      before = p;
    }
  }
}
