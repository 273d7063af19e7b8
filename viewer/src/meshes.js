// Meshes that a scene stores once: from their packed text to corners and triangles.
import { bytesOf, inflate } from './payload.js';
import { wordAt, zigzagAt } from './planes.js';

const STEPS = 65535;

export function hasMeshes(scene) {
  return Object.keys(scene?.meshes ?? {}).length > 0;
}

// Puts `positions` (three a corner) and `corners` (three a triangle) beside each packed mesh.
export async function unpackMeshes(scene) {
  for (const mesh of Object.values(scene?.meshes ?? {})) {
    const bytes = new Uint8Array(await inflate(bytesOf(mesh.data.join(''))));
    const n = mesh.points;
    const positions = new Float32Array(3 * n);
    for (let k = 0; k < 3; ++k) {
      const range = mesh.high[k] - mesh.low[k];
      let q = 0;
      for (let i = 0; i < n; ++i) {
        q = (q + zigzagAt(bytes, 2 * n * k, n, i)) & 0xffff;
        positions[3 * i + k] = mesh.low[k] + (range * q) / STEPS;
      }
    }
    const count = 3 * mesh.triangles;
    const corners = new Uint32Array(count);
    let next = 0;
    for (let i = 0; i < count; ++i) {
      const back = wordAt(bytes, 6 * n, count, i);
      corners[i] = next - back;
      if (back === 0) ++next;
    }
    mesh.positions = positions;
    mesh.corners = corners;
  }
}
