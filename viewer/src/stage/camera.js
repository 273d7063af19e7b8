// The camera: in space a perspective to turn around, in the plane a parallel view to shift and zoom.
import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export class Camera {
  constructor(world, element, changed) {
    this.world = world;
    const near = 1e-3 * world.size;
    const far = 1e2 * world.size;
    this.camera = world.planar ? new OrthographicCamera(-1, 1, 1, -1, near, far) : new PerspectiveCamera(38, 1, near, far);
    this.camera.up.copy(world.up);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.addEventListener('change', changed);
    this.controls.zoomToCursor = true;
    if (world.planar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    this.aspect = 1;
    this.followed = null; // last position of the body that is followed
  }

  resize(aspect) {
    this.aspect = aspect;
    if (this.world.planar) this.frame();
    else this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  // Half the height of the picture of a planar scene: what moves, and a margin.
  frame() {
    const { lo, hi, right, up } = this.world;
    const span = hi.clone().sub(lo);
    const w = Math.abs(span.dot(right));
    const h = Math.abs(span.dot(up));
    const half = 0.56 * Math.max(h, w / this.aspect, 1e-9);
    Object.assign(this.camera, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
  }

  // All that moves, from a direction: 'home', 'front', 'side' or 'top', or degrees around (from the
  // front to the right) and above.
  fit(from = 'home', zoom = 1) {
    const { world, camera } = this;
    const { right, up, toward, center, size } = world;
    const directions = {
      home: toward.clone().addScaledVector(right, 0.55).addScaledVector(up, 0.5),
      front: toward.clone(),
      side: right.clone(),
      top: up.clone().addScaledVector(toward, 1e-3),
    };
    if (from.elevation !== undefined) {
      const [around, above] = [from.azimuth, Math.min(89.9, Math.max(-89.9, from.elevation))].map((x) => (x * Math.PI) / 180);
      directions.chosen = toward.clone().multiplyScalar(Math.cos(above) * Math.cos(around));
      directions.chosen.addScaledVector(right, Math.cos(above) * Math.sin(around)).addScaledVector(up, Math.sin(above));
    }
    const direction = (world.planar ? toward.clone() : directions.chosen ?? directions[from]).normalize();
    let distance = 10 * size;
    if (!world.planar) {
      const half = (camera.fov * Math.PI) / 360;
      distance = (0.54 * size) / Math.sin(Math.min(half, Math.atan(Math.tan(half) * this.aspect)));
    }
    camera.position.copy(center).addScaledVector(direction, distance);
    camera.zoom = zoom;
    if (world.planar) this.frame();
    camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.followed = null;
  }

  // Moves with a body: `position` is where it is now, null to stop.
  follow(position) {
    if (position && this.followed) {
      const shift = position.clone().sub(this.followed);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.controls.update();
    }
    this.followed = position ? position.clone() : null;
  }

  // Pixels of a canvas w x h where a point of the world is seen.
  project(point, w, h) {
    this.camera.updateMatrixWorld();
    const p = new Vector3().copy(point).project(this.camera);
    return [((p.x + 1) / 2) * w, ((1 - p.y) / 2) * h];
  }
}
