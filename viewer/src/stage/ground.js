// Halfspaces: in space a finite plate with a grid, seen from its free side only; in the plane the
// solid side itself.
import { BufferGeometry, Float32BufferAttribute, FrontSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3 } from 'three';

// Round number at or below x: 1, 2 or 5 times a power of ten.
function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

// Cuts a convex polygon by n.x >= d.
function cut(polygon, n, d) {
  const result = [];
  polygon.forEach((a, i) => {
    const b = polygon[(i + 1) % polygon.length];
    const da = n.dot(a) - d;
    const db = n.dot(b) - d;
    if (da >= 0) result.push(a);
    if (da >= 0 !== db >= 0) result.push(a.clone().lerp(b, da / (da - db)));
  });
  return result;
}

function cutSegment([a, b], n, d) {
  const da = n.dot(a) - d;
  const db = n.dot(b) - d;
  if (da < 0 && db < 0) return null;
  const middle = da >= 0 === db >= 0 ? null : a.clone().lerp(b, da / (da - db));
  return da < 0 ? [middle, b] : db < 0 ? [a, middle] : [a, b];
}

// Plane of a halfspace in its body's frame: n.x = d, solid below.
function planeOf(shape) {
  const n = new Vector3(...(shape.normal ?? [0, 0, 1])).normalize().applyQuaternion(new Quaternion(...shape.quaternion));
  const p = new Vector3(...shape.position);
  return { n, p, d: n.dot(p) };
}

export class Ground {
  constructor(world, poses) {
    this.world = world;
    this.poses = poses;
    this.group = new Group();
    this.face = world.planar ? new MeshBasicMaterial() : new MeshLambertMaterial({ side: FrontSide });
    this.face.polygonOffset = true;
    this.face.polygonOffsetFactor = 1;
    this.face.polygonOffsetUnits = 1;
    this.line = new LineBasicMaterial();
    this.parts = [];
    this.grids = [];
    for (const body of world.bodies) {
      const planes = body.shapes.filter((shape) => shape.type === 'halfspace').map(planeOf);
      if (planes.length === 0) continue;
      const part = new Group();
      part.matrixAutoUpdate = false;
      planes.forEach((plane) => this.addPlane(part, plane, planes, poses.matrices[body.index]));
      this.group.add(part);
      this.parts.push({ part, body });
    }
  }

  addPlane(part, plane, planes, matrix) {
    const { n, d } = plane;
    // The middle of the scene, seen from the body, dropped on the plane.
    const center = this.world.center.clone().applyMatrix4(matrix.clone().invert());
    const middle = center.clone().addScaledVector(n, d - n.dot(center));
    const u = new Vector3(...(Math.abs(n.x) > 0.9 ? [0, 1, 0] : [1, 0, 0])).projectOnPlane(n).normalize();
    const v = new Vector3().crossVectors(n, u);
    if (this.world.planar) this.addSolid(part, n, middle);
    else this.addPlate(part, { n, d, middle, u, v }, planes.filter((other) => other !== plane));
  }

  addPlate(part, { n, middle, u, v }, others) {
    // Lines at round numbers of the body's own coordinates.
    const spacing = roundDown(this.world.size / 6);
    const reach = Math.ceil((0.85 * this.world.size) / spacing) * spacing;
    const snapped = middle.clone();
    for (const axis of [u, v]) snapped.addScaledVector(axis, Math.round(middle.dot(axis) / spacing) * spacing - middle.dot(axis));
    const at = (x, y) => snapped.clone().addScaledVector(u, x).addScaledVector(v, y);
    let corners = [at(-reach, -reach), at(reach, -reach), at(reach, reach), at(-reach, reach)];
    let lines = [];
    for (let x = -reach; x <= reach + spacing / 2; x += spacing) lines.push([at(x, -reach), at(x, reach)], [at(-reach, x), at(reach, x)]);
    for (const other of others) {
      corners = cut(corners, other.n, other.d);
      lines = lines.map((line) => line && cutSegment(line, other.n, other.d)).filter(Boolean);
    }
    if (corners.length < 3) return;
    this.addFan(part, corners, n);
    const geometry = new BufferGeometry().setFromPoints(lines.flat());
    const grid = new LineSegments(geometry, this.line);
    part.add(grid);
    this.grids.push({ grid, n, p: middle, part });
  }

  addFan(part, corners, n) {
    const positions = [];
    for (let i = 1; i + 1 < corners.length; ++i)
      for (const p of [corners[0], corners[i], corners[i + 1]]) positions.push(p.x, p.y, p.z);
    const normals = positions.map((_, i) => n.getComponent(i % 3));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
    const mesh = new Mesh(geometry, this.face);
    mesh.receiveShadow = true;
    part.add(mesh);
  }

  addSolid(part, n, middle) {
    const { toward, size, typical } = this.world;
    if (Math.abs(n.dot(toward)) > 0.9) return; // the plane of the picture itself
    const along = new Vector3().crossVectors(toward, n).normalize();
    const far = 30 * size;
    // Behind the bodies, or it would hide what dips into it.
    const back = middle.clone().addScaledVector(toward, -2 * typical - 0.01 * size);
    const at = (x, y) => back.clone().addScaledVector(along, x).addScaledVector(n, y);
    const [a, b, c, d] = [at(far, 0), at(-far, 0), at(-far, -far), at(far, -far)];
    const corners = new Vector3().crossVectors(b.clone().sub(a), c.clone().sub(a)).dot(toward) > 0 ? [a, b, c, d] : [d, c, b, a];
    this.addFan(part, corners, toward);
    part.add(new LineSegments(new BufferGeometry().setFromPoints([a, b]), this.line));
  }

  setTheme(theme) {
    this.face.color.set(theme.ground);
    this.line.color.set(theme.line);
  }

  // A wall between us and the bodies is not drawn; nor is its grid.
  faceCamera(eye) {
    const local = new Vector3();
    for (const { grid, n, p, part } of this.grids) {
      local.copy(eye).applyMatrix4(part.matrix.clone().invert());
      grid.visible = n.dot(local.sub(p)) > 0;
    }
  }

  update() {
    for (const { part, body } of this.parts) part.matrix.copy(this.poses.matrices[body.index]);
  }
}
