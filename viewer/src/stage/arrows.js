// Many arrows of one colour scheme in two draw calls: shafts and heads. They lie over everything.
import { Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from 'three';

const UP = new Vector3(0, 1, 0);

function overlay(geometry, capacity, order) {
  const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
  const mesh = new InstancedMesh(geometry, material, capacity);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.setColorAt(0, new Color());
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  mesh.count = 0;
  return mesh;
}

export class Arrows {
  constructor(capacity, width, order) {
    this.width = width;
    this.capacity = Math.max(1, capacity);
    this.shafts = overlay(new CylinderGeometry(1, 1, 1, 6, 1, true).translate(0, 0.5, 0), this.capacity, order);
    this.heads = overlay(new ConeGeometry(1, 1, 8).translate(0, -0.5, 0), this.capacity, order);
    this.group = new Group();
    this.group.add(this.shafts, this.heads);
    this.used = 0;
    this.q = new Quaternion();
    this.m = new Matrix4();
    this.s = new Vector3();
    this.p = new Vector3();
    this.along = new Vector3();
  }

  clear() {
    this.used = 0;
  }

  // An arrow from `point` along the unit vector `direction`.
  add(point, direction, length, color, head = true, width = this.width) {
    if (this.used === this.capacity || !(length > 0)) return;
    const i = this.used++;
    const tip = head ? Math.min(4.5 * width, 0.5 * length) : 0;
    this.q.setFromUnitVectors(UP, direction);
    this.m.compose(point, this.q, this.s.set(width, length - 0.9 * tip, width));
    this.shafts.setMatrixAt(i, this.m);
    this.shafts.setColorAt(i, color);
    this.p.copy(point).addScaledVector(direction, length);
    this.m.compose(this.p, this.q, this.s.set(0.5 * tip, tip, 0.5 * tip));
    this.heads.setMatrixAt(i, this.m);
    this.heads.setColorAt(i, color);
  }

  // A line from a to b.
  line(a, b, color, width = this.width) {
    this.along.subVectors(b, a);
    const length = this.along.length();
    if (length > 0) this.add(a, this.along.divideScalar(length), length, color, false, width);
  }

  flush() {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.used;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }
}

export { overlay };
