// The player on a simulation that goes on: the same picture, plots and panel; the buttons go to the
// program.
import { MANY } from '../stage/contact_layer.js';
import { el, short } from '../dom.js';
import { Hand } from './live_hand.js';
import { Settings } from './live_settings.js';
import { Playback } from '../playback.js';
import { Player } from '../player.js';
import { Toolbar, button, paths } from '../toolbar.js';

const REDRAW = 250; // plots, at most so often [ms]
const speeds = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 0]; // 0: as fast as it can
const resetPath = 'M12 4a8 8 0 1 0 8 8h-2.5a5.5 5.5 0 1 1-5.5-5.5V11l6-5-6-5z';

// Follows the newest frame until someone looks back.
class LivePlayback extends Playback {
  constructor(clip, changed) {
    super(clip, changed);
    this.following = true;
  }

  play() {
    this.follow();
    this.steer('start');
  }

  pause() {
    this.steer('pause');
  }

  // A script that drives the simulation takes no orders from here.
  steer(what) {
    if (!this.clip.header.passive) this.clip.send({ do: what });
  }

  follow() {
    this.following = true;
    this.seek(this.clip.end);
  }

  seek(t) {
    super.seek(t);
    this.following = this.t >= this.clip.end;
  }

  step(by) {
    if (by > 0 && this.following) {
      this.steer('step');
      return;
    }
    const { playing } = this;
    if (playing) this.pause();
    super.step(by);
    this.playing = playing; // the program says when it pauses
  }

  tick() {
    if (this.following) this.t = this.clip.end;
    else if (this.t < this.clip.start) this.t = this.clip.start; // it has been forgotten
  }
}

class LiveToolbar extends Toolbar {
  get speeds() {
    return speeds;
  }

  makeTransport(player) {
    const { playback, clip } = player;
    this.passive = clip.header.passive;
    this.play = button('Start (space)', paths.play, () => playback.toggle());
    this.time = el('output', { class: 'cp-time' });
    this.speed = el('select', { title: 'Wanted speed (+ and -)', 'aria-label': 'wanted speed', on: { change: () => clip.send({ do: 'speed', value: Number(this.speed.value) }) } },
      ...speeds.map((x) => el('option', { value: String(x), text: x === 0 ? 'fastest' : '\u00d7' + x })));
    this.newest = el('button', { type: 'button', text: 'Newest', title: 'Back to the newest frame (End)', hidden: true, on: { click: () => playback.follow() } });
    // A page that looks on can look back, and save what it sees.
    const steering = (element) => this.passive ? null : element;
    return el('div', { class: 'cp-transport' }, steering(button('Reset (0)', resetPath, () => player.reset())),
      button('Look one frame back (left)', paths.back, () => playback.step(-1)), steering(this.play),
      button(this.passive ? 'Look one frame forward (right)' : 'One step (right)', paths.forward, () => playback.step(1)), this.newest, this.time, steering(this.speed),
      el('button', { type: 'button', text: 'Save scene', title: 'Save the scene with these settings (S)', on: { click: () => clip.send({ do: 'save' }) } }));
  }

  show(playback, clip) {
    super.show(playback, clip);
    this.play.title = playback.playing ? 'Pause (space)' : 'Start (space)';
    this.play.setAttribute('aria-label', this.play.title);
    this.newest.hidden = playback.following;
  }
}

export class LivePlayer extends Player {
  constructor(clip, root, status) {
    super(clip, root);
    if (!clip.header.passive) {
      this.hand = new Hand(this, clip.send);
      this.settings = new Settings(this, status.settings, clip.send);
      this.panel.element.before(this.settings.element);
    }
    this.drawn = 0;
    this.setTheme(this.dark);
    this.setStatus(status);
  }

  makePlayback() {
    return new LivePlayback(this.clip, () => this.moved());
  }

  makeToolbar() {
    return new LiveToolbar(this);
  }

  makeSwitches() {
    return super.makeSwitches().filter(({ name }) => name !== 'loop').map((entry) => entry.name === 'fit' ? { ...entry, set: () => this.showAll() } : entry);
  }

  get moreKeys() {
    return { 0: () => this.reset(), s: () => this.clip.send({ do: 'save' }), Home: () => this.reset() };
  }

  headline() {
    this.verdict = el('span');
    this.factor = el('span', { class: 'cp-factor' });
    this.line = el('span', { class: 'cp-line', role: 'status' });
    return [this.verdict, this.factor, this.line];
  }

  reset() {
    this.playback.steer('reset');
    this.playback.following = true;
  }

  // The box of all that moves, as it is now.
  showAll() {
    this.world.measure(this.clip);
    this.stage.camera.fit();
  }

  setLine(state) {
    this.line.textContent = state === 'open' ? 'connected' : 'connection lost, trying again';
    this.line.className = state === 'open' ? 'cp-line cp-good' : 'cp-line cp-bad';
    if (state !== 'open') this.hand?.letGo();
  }

  setStatus(status) {
    this.status = status;
    this.playback.playing = status.running;
    this.toolbar.speed.value = String(status.speed);
    this.settings?.show(status.settings);
    this.moved();
  }

  take(frame) {
    if (this.clip.newest && frame.run !== this.clip.newest.run) this.hand?.letGo();
    this.clip.push(frame);
    this.hideMany(frame.contacts.count);
    this.moved();
  }

  // Once: who wants to see them all the same turns them on again.
  hideMany(contacts) {
    if (this.hidden || this.world.planar || contacts <= MANY) return;
    this.hidden = true;
    Object.assign(this.stage.contacts.on, { points: false, forces: false });
  }

  tell() {
    const { newest, header } = this.clip;
    const { message, running, speed } = this.status;
    const now = newest.figures[header.figures.indexOf('certificate')];
    const residual = `residual ${short(now)}, worst ${short(newest.worst)}, tolerance ${short(header.tolerance)}`;
    const [kind, text] = message ? ['cp-bad', `Stopped in ${message}`]
      : newest.steps === 0 ? ['', header.passive ? 'A script drives it; no step yet.' : 'Paused at its start.']
        : newest.rejected > 0 ? ['cp-bad', `${newest.rejected} of ${newest.steps} steps are not accepted; ${residual}.`]
          : ['cp-good', `All ${newest.steps} steps accepted; ${residual}.`];
    this.verdict.className = kind;
    this.verdict.textContent = text;
    const slow = running && speed > 0 && newest.factor > 0 && newest.factor < 0.9 * speed;
    this.factor.textContent = !running ? 'paused' : newest.factor > 0 ? `\u00d7${short(Number(newest.factor.toPrecision(2)))} of real time${slow ? `, wanted \u00d7${speed}` : ''}` : header.passive ? 'driven by a script' : 'running';
    this.factor.classList.toggle('cp-slip', slow);
  }

  refresh() {
    super.refresh();
    this.hand?.update();
    if (!this.status) return;
    this.tell();
    const now = performance.now();
    if (now - this.drawn < REDRAW) {
      this.later ??= window.setTimeout(() => { this.later = null; this.moved(); }, REDRAW);
      return;
    }
    this.drawn = now;
    this.stage.contacts.reference = this.stage.contacts.typicalForce(this.clip);
    this.plots.grow();
  }
}
