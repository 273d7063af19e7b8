// The player: brings clip, picture, plots, panel and buttons together.
import { aboutSheet, verdict } from './about.js';
import { el } from './dom.js';
import { listen } from './keys.js';
import { Panel } from './panel.js';
import { Playback } from './playback.js';
import { Plots } from './plots.js';
import { Stage } from './stage/stage.js';
import { Timeline } from './timeline.js';
import { Toolbar } from './toolbar.js';
import { World } from './stage/world.js';

export class Player {
  constructor(clip, root) {
    this.clip = clip;
    this.root = root;
    this.world = new World(clip.header);
    this.world.measure(clip);
    this.playback = this.makePlayback();
    this.canvas = el('canvas', { class: 'cp-canvas' });
    this.canvas.setAttribute('aria-label', 'the scene');
    this.stage = new Stage(this.world, clip, this.canvas, () => this.wake());
    this.dark = false;
    this.switches = this.makeSwitches();
    this.timeline = new Timeline(clip, (t) => this.playback.seek(t));
    this.plots = new Plots(clip, this.world, (t) => this.playback.seek(t));
    this.panel = new Panel(clip, this.world, (index) => this.select(index));
    this.toolbar = this.makeToolbar();
    this.sheet = aboutSheet(clip, () => this.flip('help'));
    this.layOut();
    this.listen();
    this.pictures = 0;
    this.setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
    this.resize();
    this.stage.camera.fit();
    this.moved();
  }

  makePlayback() {
    return new Playback(this.clip, () => this.moved());
  }

  makeToolbar() {
    return new Toolbar(this);
  }

  makeSwitches() {
    const { stage, playback, world } = this;
    const { contacts } = stage;
    const layer = (name, label, title, key, target, field) => ({
      name, label, title, key, get: () => target[field], set: (on) => { target[field] = on; },
    });
    const all = [
      layer('contacts', 'Contacts', 'Contact points: green sticks, amber slips', 'C', contacts.on, 'points'),
      layer('forces', 'Forces', 'Normal forces and friction at contacts', 'F', contacts.on, 'forces'),
      layer('normals', 'Normals', 'Contact normals', 'M', contacts.on, 'normals'),
      layer('joints', 'Joints', 'Joints, anchors, springs', 'J', stage.joints.group, 'visible'),
      layer('trails', 'Paths', 'Paths of the bodies', 'T', stage.trails.group, 'visible'),
      { name: 'shadows', label: 'Shadows', title: 'Shadows', key: 'H', get: () => stage.shadows, set: (on) => stage.setShadows(on) },
      { name: 'geometry', label: 'Geometry', title: 'Contact geometry in place of what is drawn', key: 'K', get: () => stage.bodies.contactGeometry, set: (on) => stage.bodies.setContactGeometry(on) },
      { name: 'speed', label: 'Speed', title: 'Colour by speed: blue slow, yellow fast', key: 'V', get: () => stage.bodies.bySpeed, set: (on) => stage.bodies.setBySpeed(on) },
      layer('follow', 'Follow', 'Follow the selected body', 'G', stage, 'following'),
      layer('loop', 'Loop', 'Play in a loop', 'L', playback, 'loop'),
      { name: 'fit', label: 'Show all', title: 'Show all', key: 'R', set: () => stage.camera.fit() },
      { name: 'theme', label: 'Dark', title: 'Light and dark', key: 'D', get: () => this.dark, set: (on) => this.setTheme(on) },
      { name: 'screen', label: 'Full screen', title: 'Full screen', key: 'X', set: () => this.fullScreen() },
      { name: 'help', label: '?', title: 'About this page, and the keys', key: '?', get: () => !this.sheet.hidden, set: (on) => { this.sheet.hidden = !on; } },
    ];
    const links = world.joints.length + world.springs.length > 0;
    const drawn = world.bodies.some((body) => body.visual.length > 0);
    return all.filter(({ name }) => (links || name !== 'joints') && (drawn || name !== 'geometry') && !(world.planar && name === 'shadows') && (this.clip.live || clipHasContacts(this.clip) || !['contacts', 'forces', 'normals'].includes(name)));
  }

  layOut() {
    const head = el('header', { class: 'cp-head' }, el('b', { text: this.clip.header.title || 'untitled scene' }), ...this.headline());
    this.note = el('p', { class: 'cp-forces', hidden: true });
    this.view = el('div', { class: 'cp-view' }, this.canvas, this.note);
    const side = el('aside', { class: 'cp-side' }, this.panel.element, this.plots.element);
    const bottom = el('div', { class: 'cp-bottom' }, this.timeline.canvas, this.toolbar.element);
    this.root.replaceChildren(el('div', { class: 'cp-frame' }, head, this.view, bottom, side, this.sheet));
  }

  headline() {
    const result = verdict(this.clip);
    return [el('span', { class: result.good ? 'cp-good' : 'cp-bad', text: result.text })];
  }

  listen() {
    const alone = document.body.classList.contains('cairn-page');
    listen(this, alone ? document : this.root);
    if (!alone) this.guardScrolling();
    this.root.tabIndex = -1;
    new ResizeObserver(() => this.resize()).observe(this.root);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => this.setTheme(event.matches));
    // A click is a press and release at one place; a drag turns the camera.
    let down = null;
    this.canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!down || event.button !== 0 || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
      const box = this.canvas.getBoundingClientRect();
      this.select(this.stage.pick(event.clientX - box.left, event.clientY - box.top));
    });
  }

  // Inside a report the wheel and the finger scroll the page until the player has been touched.
  guardScrolling() {
    const { controls } = this.stage.camera;
    const take = (on) => {
      controls.enableZoom = on;
      this.canvas.style.touchAction = on ? 'none' : 'pan-y';
    };
    take(false);
    document.addEventListener('pointerdown', (event) => take(this.root.contains(event.target)));
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.stage.setTheme(dark);
    this.plots.draw();
    this.moved();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.view;
    if (w === 0 || h === 0) return;
    this.stage.resize(w, h);
    this.plots.draw();
    this.moved();
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  flip(name) {
    const entry = this.switches.find((candidate) => candidate.name === name);
    entry.set(entry.get ? !entry.get() : true);
    this.moved();
  }

  look(from, zoom = 1) {
    this.stage.camera.fit(from, zoom);
    this.moved();
  }

  // The picture alone, without head, plots and buttons, for those who take pictures of the page.
  bare() {
    this.root.classList.add('cp-bare');
    this.resize();
    this.stage.camera.fit();
  }

  scaleArrows(by) {
    this.stage.contacts.gain *= by;
    this.moved();
  }

  select(index) {
    this.stage.select(index);
    this.panel.select(index);
    this.plots.select(index);
    this.moved();
  }

  // Something has changed that the next picture must show.
  moved() {
    this.stale = true;
    this.wake();
  }

  wake() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => this.picture(now));
  }

  picture(now) {
    this.waiting = false;
    this.playback.tick(now);
    this.waiting = true; // the controls report changes of the camera while we follow a body
    if (this.stale) this.refresh();
    this.stage.render();
    this.pictures += 1;
    this.waiting = false;
    if (this.playback.playing && !this.clip.live) this.wake();
  }

  refresh() {
    this.stale = false;
    const { t } = this.playback;
    this.stage.show(t);
    this.showNote();
    this.timeline.draw(t);
    this.plots.show(t);
    this.panel.show(this.stage.poses.place);
    this.toolbar.show(this.playback, this.clip);
  }

  // Whether the arrows are the only forces that fit the motion.
  showNote() {
    const { on, shown } = this.stage.contacts;
    const count = shown.shortest + shown.solvers;
    this.note.hidden = !on.forces || count === 0;
    const which = shown.solvers === 0 ? 'least-norm forces shown'
      : shown.shortest === 0 ? 'the solver\'s forces shown' : `least-norm forces shown at ${shown.shortest}, the solver\'s at ${shown.solvers}`;
    const text = `Forces of ${count} ${count === 1 ? 'contact' : 'contacts'} not unique: ${which}`;
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}

function clipHasContacts(clip) {
  return clip.figures.candidates.some((x) => x > 0);
}
