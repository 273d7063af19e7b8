// Buttons: transport, speed, what is shown.
import { el, icon } from './dom.js';

export const paths = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  back: 'M19 4v16L8 12zM5 4h2v16H5z',
  forward: 'M5 4v16l11-8zM17 4h2v16h-2z',
  start: 'M20 4v16l-9-8zM11 4v16l-9-8z',
};
const allSpeeds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100];
const longest = 60; // what a clip may take on the clock at first [s]
const shortest = 3;

export function button(label, path, click) {
  return el('button', { type: 'button', title: label, 'aria-label': label, class: 'cp-icon', on: { click } }, icon(path));
}

export class Toolbar {
  constructor(player) {
    this.transport = this.makeTransport(player);
    this.toggles = {};
    this.menu = el('div', { class: 'cp-toggles' }, ...player.switches.map((entry) => {
      const toggle = el('button', { type: 'button', text: entry.label, title: `${entry.title}${entry.key ? ` (${entry.key})` : ''}`, on: { click: () => player.flip(entry.name) } });
      if (entry.get) this.toggles[entry.name] = { toggle, get: entry.get };
      return toggle;
    }));
    this.element = el('div', { class: 'cp-bar' }, this.transport, this.menu);
  }

  makeTransport(player) {
    const { playback } = player;
    this.play = button('Play (space)', paths.play, () => playback.toggle());
    this.time = el('output', { class: 'cp-time' });
    this.speed = el('select', { title: 'Speed (+ and -)', 'aria-label': 'speed', on: { change: () => { playback.speed = Number(this.speed.value); } } },
      ...this.speeds.map((x) => el('option', { value: String(x), text: '\u00d7' + x })));
    const length = player.clip.end - player.clip.start;
    const fitting = this.speeds.filter((x) => length / x <= longest && length / x >= shortest);
    playback.speed = fitting.includes(1) || fitting.length === 0 ? 1 : length > longest ? fitting[0] : fitting[fitting.length - 1];
    this.speed.value = String(playback.speed);
    return el('div', { class: 'cp-transport' }, button('To the start (Home)', paths.start, () => { playback.pause(); playback.seek(player.clip.start); }),
      button('One frame back (left)', paths.back, () => playback.step(-1)), this.play,
      button('One frame on (right)', paths.forward, () => playback.step(1)), this.time, this.speed);
  }

  get speeds() {
    return allSpeeds;
  }

  faster(by) {
    const at = this.speeds.indexOf(Number(this.speed.value)) + by;
    this.speed.value = String(this.speeds[Math.min(this.speeds.length - 1, Math.max(0, at))]);
    this.speed.dispatchEvent(new Event('change'));
  }

  show(playback, clip) {
    this.play.querySelector('path').setAttribute('d', playback.playing ? paths.pause : paths.play);
    const digits = clip.end - clip.start < 1 ? 4 : clip.end < 100 ? 3 : 2;
    const { nearest } = clip.locate(playback.t);
    this.time.textContent = `${playback.t.toFixed(digits)} s, step ${clip.step[nearest]}`;
    for (const { toggle, get } of Object.values(this.toggles)) toggle.setAttribute('aria-pressed', String(Boolean(get())));
  }
}
