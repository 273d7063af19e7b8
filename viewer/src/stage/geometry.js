// Meshes of shapes. Shades baked into the corners show borders and rotation without textures.
import { BufferGeometry, CapsuleGeometry, CylinderGeometry, Float32BufferAttribute, SphereGeometry, Vector3 } from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';

const DARK = 0.5; // of borders and spokes
const TINT = 0.72; // of every second patch

class Builder {
  constructor() {
    this.positions = [];
    this.normals = [];
    this.shades = [];
  }
  triangle(a, b, c, n, shade) {
    for (const p of [a, b, c]) {
      this.positions.push(...p);
      this.normals.push(...n);
      this.shades.push(shade, shade, shade);
    }
  }
  quad(a, b, c, d, n, shade) {
    this.triangle(a, b, c, n, shade);
    this.triangle(a, c, d, n, shade);
  }
  build() {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(this.positions, 3));
    geometry.setAttribute('normal', new Float32BufferAttribute(this.normals, 3));
    geometry.setAttribute('color', new Float32BufferAttribute(this.shades, 3));
    return geometry;
  }
}

// Shades the triangles of a closed mesh by `patch`(middle of the triangle) = true or false.
function shaded(source, patch) {
  const geometry = source.index ? source.toNonIndexed() : source;
  const p = geometry.getAttribute('position');
  const shades = new Float32Array(p.count * 3);
  const m = new Vector3();
  for (let i = 0; i < p.count; i += 3) {
    m.set(0, 0, 0);
    for (let k = 0; k < 3; ++k) m.add(new Vector3().fromBufferAttribute(p, i + k));
    shades.fill(patch(m) ? TINT : 1, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute('color', new Float32BufferAttribute(shades, 3));
  geometry.deleteAttribute('uv');
  return geometry;
}

const octant = (m) => m.x * m.y * m.z > 0;

function sphere(detail) {
  return shaded(new SphereGeometry(1, 4 * detail, 2 * detail).rotateX(Math.PI / 2), octant);
}

// Six faces, each a plate in a darker frame.
function box(size) {
  const [hx, hy, hz] = size.map((x) => x / 2);
  const half = [hx, hy, hz];
  const border = 0.05 * Math.min(...size);
  const builder = new Builder();
  for (let axis = 0; axis < 3; ++axis)
    for (const sign of [-1, 1]) {
      const u = (axis + 1) % 3;
      const v = (axis + 2) % 3;
      const n = [0, 0, 0];
      n[axis] = sign;
      const at = (x, y) => {
        const p = [0, 0, 0];
        p[axis] = sign * half[axis];
        p[u] = sign * x;
        p[v] = y;
        return p;
      };
      const [a, b] = [half[u], half[v]];
      const [c, d] = [a - border, b - border];
      const outer = [at(-a, -b), at(a, -b), at(a, b), at(-a, b)];
      const inner = [at(-c, -d), at(c, -d), at(c, d), at(-c, d)];
      builder.quad(...inner, n, 1);
      for (let k = 0; k < 4; ++k) builder.quad(outer[k], outer[(k + 1) % 4], inner[(k + 1) % 4], inner[k], n, DARK);
    }
  return builder.build();
}

// A convex outline in the plane as a plate of thickness `depth`: top, bottom, rim, and if wanted a
// spoke from the middle along x that shows the rotation.
function plate(outline, depth, spoke) {
  const n = outline.length;
  const m = [0, 1].map((k) => outline.reduce((sum, p) => sum + p[k], 0) / n);
  const inner = outline.map((p) => [m[0] + 0.92 * (p[0] - m[0]), m[1] + 0.92 * (p[1] - m[1])]);
  const builder = new Builder();
  for (const side of [-1, 1]) {
    const z = (side * depth) / 2;
    const normal = [0, 0, side];
    const put = (points, lift, shade) => {
      const q = (side > 0 ? points : [...points].reverse()).map((p) => [p[0], p[1], z + side * lift]);
      builder.triangle(q[0], q[1], q[2], normal, shade);
      if (q.length > 3) builder.triangle(q[0], q[2], q[3], normal, shade);
    };
    for (let i = 0; i < n; ++i) {
      const k = (i + 1) % n;
      put([m, inner[i], inner[k]], 0, 1);
      put([inner[i], outline[i], outline[k], inner[k]], 0, DARK);
    }
    if (spoke) put([[0, -0.035], [0.94, -0.035], [0.94, 0.035], [0, 0.035]], 0.004 * depth, DARK);
  }
  for (let i = 0; i < n; ++i) {
    const a = outline[i];
    const b = outline[(i + 1) % n];
    const size = Math.hypot(b[1] - a[1], a[0] - b[0]) || 1;
    const normal = [(b[1] - a[1]) / size, (a[0] - b[0]) / size, 0];
    builder.quad([...a, -depth / 2], [...b, -depth / 2], [...b, depth / 2], [...a, depth / 2], normal, TINT);
  }
  return builder.build();
}

function circle(parts) {
  return Array.from({ length: parts }, (_, i) => [Math.cos((2 * Math.PI * i) / parts), Math.sin((2 * Math.PI * i) / parts)]);
}

// Corners of a convex polygon in any order, counterclockwise as plate() wants them.
function turned(vertices) {
  const n = vertices.length;
  const m = [0, 1].map((k) => vertices.reduce((sum, p) => sum + p[k], 0) / n);
  const angle = (p) => Math.atan2(p[1] - m[1], p[0] - m[0]);
  return vertices.map((p) => [p[0], p[1]]).sort((a, b) => angle(a) - angle(b));
}

function hull(vertices) {
  const geometry = new ConvexGeometry(vertices.map((v) => new Vector3(...v)));
  return shaded(geometry, () => false);
}

const CREASE = Math.cos(0.6); // faces at a larger angle meet at an edge

// Corners of the triangles with the mean normal of the faces around them that are no edge away.
function drawnMesh({ positions, corners }) {
  const count = corners.length;
  const faces = new Float32Array(count); // twice the vector areas
  const around = new Uint32Array(positions.length / 3 + 1); // of each point: where its faces begin in `list`
  for (let i = 0; i < count; i += 3) {
    const [a, b, c] = [3 * corners[i], 3 * corners[i + 1], 3 * corners[i + 2]];
    for (let k = 0; k < 3; ++k) {
      const [l, m] = [(k + 1) % 3, (k + 2) % 3];
      faces[i + k] = (positions[b + l] - positions[a + l]) * (positions[c + m] - positions[a + m]) - (positions[b + m] - positions[a + m]) * (positions[c + l] - positions[a + l]);
      ++around[corners[i + k] + 1];
    }
  }
  for (let p = 1; p < around.length; ++p) around[p] += around[p - 1];
  const list = new Uint32Array(count);
  const next = around.slice();
  for (let i = 0; i < count; ++i) list[next[corners[i]]++] = i - (i % 3);
  const points = new Float32Array(3 * count);
  const normals = new Float32Array(3 * count);
  for (let i = 0; i < count; ++i) {
    const own = i - (i % 3);
    const size = Math.hypot(faces[own], faces[own + 1], faces[own + 2]) || 1;
    for (let at = around[corners[i]]; at < around[corners[i] + 1]; ++at) {
      const f = list[at];
      const dot = faces[own] * faces[f] + faces[own + 1] * faces[f + 1] + faces[own + 2] * faces[f + 2];
      if (dot < CREASE * size * Math.hypot(faces[f], faces[f + 1], faces[f + 2])) continue;
      for (let k = 0; k < 3; ++k) normals[3 * i + k] += faces[f + k];
    }
    const length = Math.hypot(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]) || 1;
    for (let k = 0; k < 3; ++k) {
      normals[3 * i + k] /= length;
      points[3 * i + k] = positions[3 * corners[i] + k];
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
  geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(new Float32Array(3 * count).fill(1), 3));
  return geometry;
}

// A cylinder or cone along z; eighths of its side and quarters of its ends differ in shade.
function frustum(radius, top, length, parts) {
  const eighth = (m) => (Math.floor((Math.atan2(m.y, m.x) / Math.PI) * 4 + 8) + (Math.abs(m.z) > 0.499 * length ? 0 : m.z > 0 ? 1 : 0)) % 2 === 0;
  return shaded(new CylinderGeometry(top, radius, length, parts, 2).rotateX(Math.PI / 2), eighth);
}

// How a shape is drawn: `key` tells which shapes share a mesh, `make` makes it, `scale` stretches it.
export function recipe(shape, options) {
  const { detail, thickness, marker } = options;
  const sizes = (values) => shape.type + ':' + JSON.stringify(values);
  switch (shape.type) {
    case 'sphere':
      return { key: 'sphere', make: () => sphere(detail), scale: [shape.radius, shape.radius, shape.radius] };
    case 'ellipsoid':
      return { key: 'sphere', make: () => sphere(detail), scale: shape.radii };
    case 'point':
    case 'marker':
      return { key: 'sphere', make: () => sphere(detail), scale: [marker, marker, marker] };
    case 'box':
      return { key: sizes(shape.size), make: () => box(shape.size), scale: [1, 1, 1] };
    case 'capsule': {
      const make = () => shaded(new CapsuleGeometry(shape.radius, shape.length, 2 * detail, 4 * detail, 2).rotateX(Math.PI / 2), octant);
      return { key: sizes([shape.radius, shape.length]), make, scale: [1, 1, 1] };
    }
    case 'cylinder': {
      const make = () => frustum(shape.radius, shape.radius, shape.length, 8 * detail);
      return { key: sizes([shape.radius, shape.length]), make, scale: [1, 1, 1] };
    }
    case 'cone': {
      const top = shape.top_radius ?? 0;
      const make = () => frustum(shape.radius, top, shape.length, 8 * detail);
      return { key: sizes([shape.radius, top, shape.length]), make, scale: [1, 1, 1] };
    }
    case 'disc':
      return { key: 'disc', make: () => plate(circle(8 * detail), 1, true), scale: [shape.radius, shape.radius, thickness] };
    case 'ellipse':
      return { key: 'disc', make: () => plate(circle(8 * detail), 1, true), scale: [...shape.radii, thickness] };
    case 'polygon':
      if ((shape.vertices ?? []).length < 3) return recipe({ type: 'marker' }, options);
      return { key: sizes(shape.vertices), make: () => plate(turned(shape.vertices), thickness, false), scale: [1, 1, 1] };
    case 'hull':
      if ((shape.vertices ?? []).length < 4) return recipe({ type: 'marker' }, options);
      return { key: sizes(shape.vertices), make: () => hull(shape.vertices), scale: [1, 1, 1] };
    case 'mesh': {
      const mesh = options.meshes?.[shape.mesh];
      if (!mesh?.corners) return recipe({ type: 'marker' }, options);
      return { key: 'mesh:' + shape.mesh, make: () => drawnMesh(mesh), scale: shape.scale };
    }
    case 'halfspace':
      return null; // ground (ground.js)
    default: // a shape of a later version: at least where it is
      return recipe({ type: 'marker' }, options);
  }
}

// Boxes of many sizes share one mesh; the frames of their faces are stretched then.
export function sharedBox(shape) {
  return { key: 'box', make: () => box([1, 1, 1]), scale: shape.size };
}
