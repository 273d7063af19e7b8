// What can be changed while it runs: friction, restitution, step, gravity.
import { el, short } from '../dom.js';

const OFTEN = 80; // between two values of a slider that are sent [ms]

// A slider with a field for the exact number. `to` and `from` turn a value into the place of the slider
// and back.
class Control {
  constructor(label, unit, { least, most, to = (x) => x, from = (x) => x, steps = 200 }, change) {
    this.to = to;
    this.change = change;
    this.sent = 0;
    const low = to(least);
    const high = to(most);
    this.slider = el('input', { type: 'range', min: String(low), max: String(high), step: String((high - low) / steps), 'aria-label': label, on: {
      input: () => this.take(Number(short(from(Number(this.slider.value))))),
      change: () => this.flush(),
    } });
    this.field = el('input', { type: 'number', step: 'any', 'aria-label': `${label}, exactly`, on: {
      change: () => {
        const value = Number(this.field.value);
        if (this.field.value !== '' && Number.isFinite(value)) this.take(value);
        this.flush();
      },
    } });
    this.element = el('label', { class: 'cp-control' }, el('span', { text: unit ? `${label} [${unit}]` : label }), this.slider, this.field);
  }

  // The last value is always sent, those before it not more often than the program need hear of.
  take(value) {
    this.pending = value;
    this.field.value = String(value);
    if (this.timer) return;
    const wait = Math.max(0, this.sent + OFTEN - performance.now());
    this.timer = window.setTimeout(() => this.flush(), wait);
  }

  flush() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    if (this.pending === undefined) return;
    this.sent = performance.now();
    this.change(this.pending);
    this.pending = undefined;
  }

  show(value) {
    if (this.pending !== undefined || document.activeElement === this.field) return;
    this.slider.value = String(this.to(value));
    this.field.value = short(value).includes('e') ? String(value) : String(Number(value.toPrecision(6)));
  }
}

export class Settings {
  constructor(player, settings, send) {
    this.send = send;
    const { world } = player;
    this.material = el('select', { 'aria-label': 'material', on: { change: () => this.show(this.now) } },
      ...(settings.materials.length > 1 ? [el('option', { value: '-1', text: 'all materials' })] : []),
      ...settings.materials.map(({ name }, i) => el('option', { value: String(i), text: name })));
    const chosen = () => Number(this.material.value);
    const strongest = Math.max(20, 2 * Math.hypot(...settings.gravity));
    this.friction = new Control('friction \u03bc', '', { least: 0, most: 1.5 }, (value) => send({ do: 'friction', material: chosen(), value }));
    this.restitution = new Control('restitution e', '', { least: 0, most: 1 }, (value) => send({ do: 'restitution', material: chosen(), value }));
    this.step = new Control('step h', 's', { least: settings.h_least, most: settings.h_most, to: Math.log2, from: (x) => 2 ** x }, (value) => send({ do: 'h', value }));
    // Gravity along the axes that something can move along.
    const free = new Set(world.bodies.filter((body) => body.kind === 'dynamic').flatMap((body) => body.dof.split(/\s+/)));
    this.gravity = ['x', 'y', 'z'].map((axis, k) => free.has(axis) || settings.gravity[k] !== 0 ? new Control(`gravity ${axis}`, 'm/s\u00b2', { least: -strongest, most: strongest }, (value) => {
      const g = [...this.now.gravity];
      g[k] = value;
      this.now.gravity = g; // another axis may be moved before the answer is here
      send({ do: 'gravity', value: g });
    }) : null);
    this.note = el('p', { class: 'cp-note', role: 'status' });
    const controls = [this.friction, this.restitution, this.step, ...this.gravity.filter(Boolean)];
    this.element = el('details', { class: 'cp-settings', open: window.innerWidth > 760 }, el('summary', { text: 'Settings' }),
      settings.materials.length > 1 ? el('label', { class: 'cp-control' }, el('span', { text: 'material' }), this.material) : null,
      ...controls.map((control) => control.element), this.note);
    this.show(settings);
  }

  show(settings) {
    this.now = settings;
    const material = settings.materials[Math.max(0, Number(this.material.value))];
    this.friction.show(material.friction);
    this.restitution.show(material.restitution);
    this.step.show(settings.h);
    this.gravity.forEach((control, k) => control?.show(settings.gravity[k]));
  }

  // A wish that was refused; the controls go back to what holds.
  refuse(text) {
    this.note.textContent = text;
    this.element.open = true;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => { this.note.textContent = ''; }, 8000);
    if (document.activeElement?.closest?.('.cp-settings')) document.activeElement.blur();
    this.show(this.now);
  }
}
