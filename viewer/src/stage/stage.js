// The picture: renderer, light, shadows, and all layers of the scene in it.
import { AmbientLight, Color, DirectionalLight, PCFShadowMap, Raycaster, Scene, Vector2, WebGLRenderer } from 'three';
import { Bodies } from './bodies.js';
import { Camera } from './camera.js';
import { themeColors } from './colors.js';
import { ContactLayer } from './contact_layer.js';
import { Ground } from './ground.js';
import { JointLayer } from './joint_layer.js';
import { Poses } from './poses.js';
import { Trails } from './trails.js';

const MANY = 4000; // shapes that cast shadows without being asked

export class Stage {
  constructor(world, clip, canvas, changed) {
    this.world = world;
    this.clip = clip;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.scene = new Scene();
    this.scene.background = new Color();
    this.poses = new Poses(world, clip);
    this.bodies = new Bodies(world, this.poses);
    this.ground = new Ground(world, this.poses);
    this.contacts = new ContactLayer(world, clip);
    this.joints = new JointLayer(world, this.poses);
    this.trails = new Trails(world, clip);
    this.layers = [this.bodies, this.ground, this.contacts, this.joints, this.trails];
    this.scene.add(...this.layers.map((layer) => layer.group));
    this.camera = new Camera(world, canvas, changed);
    this.addLight();
    this.selected = -1;
    this.following = false;
    this.setShadows(!world.planar && this.bodies.count <= MANY);
  }

  addLight() {
    const { up, right, toward, center, size } = this.world;
    this.ambient = new AmbientLight(0xffffff, 1);
    this.head = new DirectionalLight(0xffffff, 1); // from the camera: nothing is flat in the sun's shadow
    this.sun = new DirectionalLight(0xffffff, 1);
    this.sun.position.copy(center).addScaledVector(up, 1.2 * size).addScaledVector(right, -0.6 * size).addScaledVector(toward, 0.7 * size);
    this.sun.target.position.copy(center);
    const { shadow } = this.sun;
    const reach = 0.75 * size;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.05 * size, far: 4 * size });
    shadow.camera.updateProjectionMatrix();
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -5e-4;
    shadow.normalBias = 0.001 * size;
    this.scene.add(this.ambient, this.sun, this.sun.target, this.head, this.head.target);
  }

  setShadows(on) {
    this.shadows = on;
    this.renderer.shadowMap.enabled = on;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = on;
    this.scene.traverse((object) => {
      if (object.material) object.material.needsUpdate = true;
    });
  }

  setTheme(dark) {
    const theme = themeColors(dark);
    this.scene.background.set(theme.sky);
    this.ambient.intensity = theme.ambient;
    this.sun.intensity = theme.light;
    this.head.intensity = theme.head;
    for (const layer of this.layers) layer.setTheme(theme);
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.resize(width / Math.max(1, height));
  }

  show(t) {
    this.poses.set(t);
    const { place } = this.poses;
    this.bodies.update();
    this.ground.update();
    this.contacts.update(place.nearest);
    this.joints.update();
    this.trails.update(place.frame, this.selected);
    const body = this.following ? this.world.bodies[this.selected] : null;
    this.camera.follow(body ? this.poses.position(body) : null);
  }

  render() {
    const { camera, controls } = this.camera;
    this.ground.faceCamera(camera.position);
    this.head.position.copy(camera.position);
    this.head.target.position.copy(controls.target);
    this.renderer.render(this.scene, camera);
  }

  select(index) {
    this.selected = index;
    this.bodies.paint(index);
  }

  // The line of sight through a place of the canvas [px].
  sight(x, y) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new Raycaster();
    this.scene.updateMatrixWorld();
    ray.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera.camera);
    return ray;
  }

  // The body at a place of the canvas, or -1.
  pick(x, y) {
    return this.bodies.hit(this.sight(x, y))?.body ?? -1;
  }
}
