// The timeline: where we are, and marks where something happened.
import { dragged, fitted, pageColors } from './stage/canvas.js';
import { el, short } from './dom.js';

export class Timeline {
  constructor(clip, seek) {
    this.clip = clip;
    this.canvas = el('canvas', { class: 'cp-timeline' });
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'slider');
    this.canvas.setAttribute('aria-label', 'time');
    this.canvas.title = this.about = 'Time. Red: steps that are not accepted; grey: steps that were divided; amber: impacts, the higher the more energy they took; green: contacts that stick, slip or take off; violet: impacts held back by the energy guard';
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    dragged(this.canvas, (share) => seek(clip.start + Math.min(1, Math.max(0, share)) * (clip.end - clip.start)));
  }

  x(t, w) {
    const span = this.clip.end - this.clip.start;
    return span > 0 ? ((t - this.clip.start) / span) * w : 0;
  }

  // What the impacts near the pointer did to the energy.
  hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const reach = box.width > 0 ? (3 * (this.clip.end - this.clip.start)) / box.width : 0;
    const t = this.clip.start + ((event.clientX - box.left) / Math.max(1, box.width)) * (this.clip.end - this.clip.start);
    this.canvas.title = this.rejectedAt(t, reach) ?? this.impactsAt(t, reach) ?? this.about;
  }

  // Why the step next to t is not accepted; null where all are within `reach`.
  rejectedAt(t, reach) {
    const near = (this.clip.header.rejected ?? []).filter((step) => Math.abs(step.t - t) <= reach);
    return near.length === 0 ? null : near.slice(0, 3).map((step) => `Step ${step.step} is not accepted: ${step.text}.`).join('\n');
  }

  // In words; null where nothing collides within `reach` of t.
  impactsAt(t, reach) {
    const { impacts, impact_loss: loss, impact_gain: gain, guard } = this.clip.figures;
    let [count, lost, put, held] = [0, 0, 0, 0];
    for (let f = 0; f < this.clip.frames; ++f) {
      if (Math.abs(this.clip.time[f] - t) > reach || !(impacts[f] > 0)) continue;
      count += impacts[f];
      lost += loss[f];
      put += gain[f];
      held += guard[f];
    }
    if (count === 0) return null;
    return `${count} ${count === 1 ? 'impact' : 'impacts'} near ${short(t)} s: ${short(lost)} J lost, ${short(put)} J put in` + (held > 0 ? `, ${held} held back by the energy guard` : '');
  }

  // Impacts by the energy they took: from 3 pixels to the height of the largest.
  impactMarks(context, w, h, color) {
    const { collisions, impacts, impact_loss: loss } = this.clip.figures;
    let most = 0;
    for (let f = 0; f < this.clip.frames; ++f) most = Math.max(most, loss[f]);
    let count = 0;
    context.fillStyle = color;
    for (let f = 0; f < this.clip.frames; ++f) {
      if (!(impacts[f] > 0) && !(collisions[f] > 0)) continue;
      ++count;
      const height = 4 + (most > 0 ? Math.round((h / 2 - 4) * Math.sqrt(loss[f] / most)) : 0);
      context.fillRect(Math.round(this.x(this.clip.time[f], w - 2)), h - 2 - height, 2, height);
    }
    return count;
  }

  // Marks of one kind: a column of pixels is marked if anything in it is.
  marks(context, figure, w, y, height, color) {
    let last = -1;
    let count = 0;
    context.fillStyle = color;
    for (let f = 0; f < this.clip.frames; ++f) {
      if (!(figure[f] > 0)) continue;
      ++count;
      const x = Math.round(this.x(this.clip.time[f], w - 2));
      if (x === last) continue;
      context.fillRect(x, y, 2, height);
      last = x;
    }
    return count;
  }

  draw(t) {
    const size = fitted(this.canvas);
    if (!size) return;
    const { context, w, h } = size;
    const colors = pageColors(this.canvas);
    context.clearRect(0, 0, w, h);
    context.fillStyle = colors.grid;
    context.fillRect(0, h / 2 - 3, w, 6);
    context.fillStyle = colors.curves[0];
    context.fillRect(0, h / 2 - 3, this.x(t, w), 6);
    const { events, guard, divided, rejected, stopped } = this.clip.figures;
    this.shown = {
      events: this.marks(context, events, w, h - 7, 3, colors.stick),
      collisions: this.impactMarks(context, w, h, colors.slip),
      guard: this.marks(context, guard, w, h - 7, 7, colors.guard),
      divided: this.marks(context, divided, w, 1, 3, colors.soft),
      rejected: this.marks(context, rejected, w, 1, 8, colors.bad) + this.marks(context, stopped, w, 0, h, colors.bad),
    };
    context.fillStyle = colors.ink;
    context.fillRect(Math.min(w - 3, Math.max(0, this.x(t, w) - 1.5)), 2, 3, h - 4);
    this.canvas.setAttribute('aria-valuemin', String(this.clip.start));
    this.canvas.setAttribute('aria-valuemax', String(this.clip.end));
    this.canvas.setAttribute('aria-valuenow', String(t));
  }
}
