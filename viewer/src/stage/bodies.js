// All bodies as instanced meshes: one draw call for each kind of mesh.
import { Color, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3 } from 'three';
import { bodyColors, ownColor, speedColor } from './colors.js';
import { recipe, sharedBox } from './geometry.js';

const MANY_SIZES = 60;

export class Bodies {
  constructor(world, poses) {
    this.world = world;
    this.poses = poses;
    this.group = new Group();
    this.colors = bodyColors(world);
    this.select = new Color();
    this.bySpeed = false;
    this.fastest = 0;
    this.contactGeometry = false;
    this.make();
  }

  // What touches, in place of what is drawn.
  setContactGeometry(on) {
    if (on === this.contactGeometry) return;
    this.contactGeometry = on;
    for (const mesh of this.meshes) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.make(this.selected);
    this.update();
  }

  make(selected = -1) {
    const { world } = this;
    const looks = (body) => (body.visual.length > 0 && !this.contactGeometry ? body.visual : body.shapes);
    const shapes = world.bodies.reduce((n, body) => n + looks(body).length, 0);
    const options = {
      detail: shapes > 3000 ? 3 : shapes > 300 ? 5 : 8,
      thickness: world.typical,
      marker: Math.min(0.018 * world.size, 0.5 * world.typical),
      meshes: world.meshes,
    };
    const sizes = new Set(world.bodies.flatMap((body) => looks(body).filter((s) => s.type === 'box').map((s) => String(s.size))));
    const kinds = new Map();
    for (const body of world.bodies) {
      const bare = body.shapes.length === 0 && body.visual.length === 0 && body.kind !== 'fixed';
      const list = bare ? [{ type: 'marker', position: [0, 0, 0], quaternion: [0, 0, 0, 1] }] : looks(body);
      for (const [number, shape] of list.entries()) {
        const how = shape.type === 'box' && sizes.size > MANY_SIZES ? sharedBox(shape) : recipe(shape, options);
        if (!how) continue;
        if (!kinds.has(how.key)) kinds.set(how.key, { make: how.make, items: [] });
        const local = new Matrix4().compose(new Vector3(...shape.position), new Quaternion(...shape.quaternion), new Vector3(...how.scale));
        // The parts of a body whose contact geometry is shown differ in shade.
        const shade = this.contactGeometry && body.visual.length > 0 ? 0.05 * (number % 4) : 0;
        kinds.get(how.key).items.push({ body: body.index, local, shade, color: shape.color ? ownColor(shape.color) : null });
      }
    }
    const material = world.planar ? new MeshBasicMaterial({ vertexColors: true }) : new MeshLambertMaterial({ vertexColors: true });
    this.meshes = [...kinds.values()].map(({ make, items }) => {
      const mesh = new InstancedMesh(make(), material, items.length);
      mesh.castShadow = mesh.receiveShadow = !world.planar;
      mesh.frustumCulled = false;
      mesh.userData.items = items;
      this.group.add(mesh);
      return mesh;
    });
    this.count = shapes;
    this.paint(selected);
  }

  setTheme(theme) {
    this.select.set(theme.select);
    this.paint(this.selected);
  }

  paint(selected) {
    this.selected = selected;
    const color = new Color();
    for (const mesh of this.meshes) {
      mesh.userData.items.forEach((item, i) => mesh.setColorAt(i, this.colorOf(item, color)));
      mesh.instanceColor.needsUpdate = true;
    }
  }

  colorOf({ body, shade, color }, out) {
    if (body === this.selected) return out.copy(this.select);
    const moving = this.world.bodies[body].moving;
    if (!this.bySpeed || moving < 0) return out.copy(color ?? this.colors[body]).offsetHSL(0, 0, shade);
    const speed = Math.hypot(...this.poses.clip.velocity(moving, this.poses.place));
    return speedColor(Math.sqrt(Math.min(1, speed / (this.fastest || 1))), out);
  }

  setBySpeed(on) {
    this.bySpeed = on;
    if (on && this.fastest === 0) this.fastest = this.findFastest();
    this.paint(this.selected);
  }

  findFastest() {
    const { clip } = this.poses;
    let most = 0;
    const stride = Math.max(1, Math.floor(clip.frames / 50));
    for (const body of this.world.bodies)
      if (body.moving >= 0)
        for (let f = 0; f < clip.frames; f += stride)
          most = Math.max(most, Math.hypot(...[7, 8, 9].map((k) => clip.value(body.moving, k, f))));
    return most;
  }

  update() {
    const m = new Matrix4();
    for (const mesh of this.meshes) {
      mesh.userData.items.forEach((item, i) => mesh.setMatrixAt(i, m.multiplyMatrices(this.poses.matrices[item.body], item.local)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // or picking would look where the instances were
    }
    if (this.bySpeed) this.paint(this.selected);
  }

  // The body under a ray and where the ray meets it, or null.
  hit(raycaster) {
    const hit = raycaster.intersectObjects(this.meshes, false)[0];
    return hit ? { body: hit.object.userData.items[hit.instanceId].body, point: hit.point } : null;
  }
}
