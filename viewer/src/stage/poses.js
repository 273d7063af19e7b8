// Where every body is at the time shown: one matrix per body, refreshed once a picture.
import { Matrix4, Quaternion, Vector3 } from 'three';

export class Poses {
  constructor(world, clip) {
    this.world = world;
    this.clip = clip;
    this.place = clip.locate(clip.start);
    this.matrices = world.bodies.map(
      (body) => new Matrix4().compose(new Vector3(...body.position), new Quaternion(...body.quaternion), new Vector3(1, 1, 1)));
    this.p = [0, 0, 0];
    this.q = [0, 0, 0, 1];
    this.set(clip.start);
  }

  set(t) {
    this.place = this.clip.locate(t);
    const p = new Vector3();
    const q = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (const body of this.world.bodies) {
      if (body.moving < 0) continue;
      this.clip.pose(body.moving, this.place, this.p, this.q);
      this.matrices[body.index].compose(p.set(...this.p), q.set(...this.q), one);
    }
  }

  // A point of a body (null: the world) in the world.
  point(body, local, out) {
    out.set(local[0], local[1], local[2]);
    return body ? out.applyMatrix4(this.matrices[body.index]) : out;
  }

  position(body) {
    return new Vector3().setFromMatrixPosition(this.matrices[body.index]);
  }
}
