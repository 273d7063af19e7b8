// The mouse or finger that pulls a body: what it holds, where it pulls to, the line between them.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from 'three';

const CLICK = 5; // a press that moves less selects [px]

export class HandLayer {
  constructor(world) {
    this.group = new Group();
    this.group.visible = false;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({ depthTest: false }));
    this.knob = new Mesh(new SphereGeometry(1, 12, 8), new MeshBasicMaterial({ depthTest: false }));
    this.knob.scale.setScalar(Math.min(0.01 * world.size, 0.2 * world.typical));
    for (const part of [this.line, this.knob]) {
      part.frustumCulled = false;
      part.renderOrder = 20;
    }
    this.group.add(this.line, this.knob);
  }

  setTheme(theme) {
    this.line.material.color.set(theme.select);
    this.knob.material.color.set(theme.select);
  }

  show(from, to) {
    this.group.visible = true;
    const { position } = this.line.geometry.attributes;
    position.setXYZ(0, from.x, from.y, from.z);
    position.setXYZ(1, to.x, to.y, to.z);
    position.needsUpdate = true;
    this.knob.position.copy(to);
  }
}

export class Hand {
  constructor(player, send) {
    this.player = player;
    this.send = send;
    this.held = null;
    this.layer = new HandLayer(player.world);
    player.stage.layers.push(this.layer);
    player.stage.scene.add(this.layer.group);
    // Before the camera's own listeners, which are on the canvas.
    player.view.addEventListener('pointerdown', (event) => this.down(event), true);
    player.view.addEventListener('pointermove', (event) => this.move(event), true);
    for (const type of ['pointerup', 'pointercancel']) window.addEventListener(type, (event) => this.up(event), true);
  }

  place(event) {
    const box = this.player.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    if (event.button !== 0 || event.shiftKey || this.held || event.target !== this.player.canvas) return;
    const { stage, world, playback } = this.player;
    if (!playback.following) return;
    const sight = stage.sight(...this.place(event));
    const hit = stage.bodies.hit(sight);
    if (!hit || world.bodies[hit.body].kind !== 'dynamic') return;
    const local = hit.point.clone().applyMatrix4(new Matrix4().copy(stage.poses.matrices[hit.body]).invert());
    const facing = world.planar ? world.toward.clone() : stage.camera.camera.getWorldDirection(new Vector3());
    this.held = {
      id: event.pointerId, body: hit.body, local, pulls: false, target: hit.point.clone(),
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point), from: [event.clientX, event.clientY],
    };
    stage.camera.controls.enabled = false;
    try {
      this.player.canvas.setPointerCapture(event.pointerId);
    } catch { /* a pointer that a script made up cannot be held */ }
  }

  move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.id) return;
    if (!held.pulls && Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) <= CLICK) return;
    const target = this.player.stage.sight(...this.place(event)).ray.intersectPlane(held.plane, new Vector3());
    if (!target) return;
    held.target = target;
    if (held.pulls) this.send({ do: 'drag', target: target.toArray() });
    else this.send({ do: 'grab', body: held.body, point: held.local.toArray(), target: target.toArray() });
    held.pulls = true;
    this.player.moved();
  }

  up(event) {
    if (!this.held || event.pointerId !== this.held.id) return;
    if (this.held.pulls) this.send({ do: 'drop' });
    this.letGo();
  }

  // Also when the line broke or the scene was reset.
  letGo() {
    this.held = null;
    this.layer.group.visible = false;
    this.player.stage.camera.controls.enabled = true;
    this.player.moved();
  }

  update() {
    const { held } = this;
    if (!held?.pulls) return;
    const { poses } = this.player.stage;
    this.layer.show(held.local.clone().applyMatrix4(poses.matrices[held.body]), held.target);
  }
}
