// Paths of bodies up to the time shown: of all where there are few, else of the selected one.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial } from 'three';

const FEW = 24;

export class Trails {
  constructor(world, clip) {
    this.world = world;
    this.clip = clip;
    this.group = new Group();
    this.material = new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
    this.lines = new Map();
    const free = world.bodies.filter((body) => body.kind === 'dynamic');
    this.group.visible = free.length <= 3;
    this.always = free.length <= FEW ? free.map((body) => body.index) : [];
  }

  setTheme(theme) {
    this.material.color.set(theme.trail);
  }

  lineOf(index) {
    const body = this.world.bodies[index];
    if (!body || body.moving < 0) return null;
    if (!this.lines.has(index)) {
      const p = new Float32Array(3 * (this.clip.live ? this.clip.capacity : this.clip.frames));
      this.fill(body, p);
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new Float32BufferAttribute(p, 3));
      const line = new Line(geometry, this.material);
      line.frustumCulled = false;
      line.renderOrder = 5;
      this.lines.set(index, line);
      this.group.add(line);
    }
    return this.lines.get(index);
  }

  fill(body, p) {
    for (let f = 0; f < this.clip.frames; ++f)
      for (let k = 0; k < 3; ++k) p[3 * f + k] = this.clip.value(body.moving, k, f);
  }

  update(frame, selected) {
    if (!this.group.visible) return;
    for (const line of this.lines.values()) line.visible = false;
    for (const index of new Set([...this.always, selected])) {
      const line = this.lineOf(index);
      if (!line) continue;
      line.visible = true;
      if (this.clip.live) {
        const { position } = line.geometry.attributes;
        this.fill(this.world.bodies[index], position.array);
        position.needsUpdate = true;
      }
      line.geometry.setDrawRange(0, frame + 1);
    }
  }
}
