// One plot over time: curves, axes, a legend with the values at the cursor; a drag on it moves the
// time.
import { makeAxis, roundTicks } from './axis.js';
import { dragged, fitted, pageColors } from './stage/canvas.js';
import { el, short } from './dom.js';

const LEFT = 50;
const RIGHT = 12;
const TOP = 6;
const BOTTOM = 18;

export class Plot {
  // curves: [{ name, y }]; options: log, zero, line, least (axis.js).
  constructor(clip, title, unit, curves, options, seek) {
    this.clip = clip;
    this.unit = unit;
    this.options = { log: false, zero: false, line: null, least: 0, ...options };
    this.title = el('b', { text: title });
    this.legend = el('span', { class: 'cp-legend' });
    this.canvas = el('canvas');
    this.cursor = el('div', { class: 'cp-cursor' });
    this.area = el('div', { class: 'cp-area' }, this.canvas, this.cursor);
    this.element = el('figure', { class: 'cp-plot' }, el('figcaption', {}, this.title, this.legend), this.area);
    dragged(this.area, (share, w) => {
      const inside = (share * w - LEFT) / (w - LEFT - RIGHT);
      seek(clip.start + Math.min(1, Math.max(0, inside)) * (clip.end - clip.start));
    });
    this.setCurves(curves);
  }

  setCurves(curves, title) {
    this.curves = curves;
    if (title !== undefined) this.title.textContent = title;
    this.axis = makeAxis(curves.map((curve) => curve.y), this.options);
    this.values = curves.map((curve, i) => {
      const value = el('span', { class: 'cp-value cp-s' + (i + 1) });
      return { curve, value };
    });
    this.legend.replaceChildren(...this.values.map(({ value }) => value));
  }

  x(t, w) {
    const span = this.clip.end - this.clip.start || 1;
    return LEFT + ((t - this.clip.start) / span) * (w - LEFT - RIGHT);
  }

  draw() {
    const size = fitted(this.canvas);
    if (!size) return;
    const { context: c, w, h } = size;
    const colors = pageColors(this.canvas);
    const y = (value) => TOP + (1 - this.axis.share(value)) * (h - TOP - BOTTOM);
    c.clearRect(0, 0, w, h);
    c.font = '11px system-ui, sans-serif';
    c.fillStyle = colors.soft;
    c.strokeStyle = colors.grid;
    c.textAlign = 'right';
    for (const tick of this.axis.ticks) {
      c.strokeRect(LEFT, Math.round(y(tick)) + 0.5, w - LEFT - RIGHT, 0);
      c.fillText(this.axis.name(tick), LEFT - 5, y(tick) + 4);
    }
    c.textAlign = 'center';
    for (const tick of roundTicks(this.clip.start, this.clip.end, 5)) c.fillText(short(tick), this.x(tick, w), h - 4);
    if (this.options.line !== null) {
      c.strokeStyle = colors.bad;
      c.setLineDash([6, 4]);
      c.beginPath();
      c.moveTo(LEFT, y(this.options.line));
      c.lineTo(w - RIGHT, y(this.options.line));
      c.stroke();
      c.setLineDash([]);
    }
    this.curves.forEach((curve, i) => this.stroke(c, curve.y, colors.curves[i % 4], (t) => this.x(t, w), y));
  }

  // Where pixels are fewer than frames each column keeps its least and largest value.
  stroke(c, values, color, x, y) {
    c.strokeStyle = color;
    c.lineWidth = 1.6;
    c.beginPath();
    let column = null;
    let ys = []; // first, least, largest, last of the column
    const flush = () => {
      for (const value of ys) c.lineTo(column, value);
    };
    for (let f = 0; f < values.length; ++f) {
      if (!Number.isFinite(values[f])) continue;
      const px = Math.round(2 * x(this.clip.time[f])) / 2;
      const py = y(values[f]);
      if (px !== column) {
        flush();
        column = px;
        ys = [py, py, py, py];
      } else ys = [ys[0], Math.min(ys[1], py), Math.max(ys[2], py), py];
    }
    flush();
    c.stroke();
    c.lineWidth = 1;
  }

  show(t, frame) {
    const w = this.canvas.clientWidth;
    if (w > 0) this.cursor.style.left = this.x(t, w) + 'px';
    for (const { curve, value } of this.values) {
      const name = this.values.length > 1 ? curve.name + ' ' : '';
      value.textContent = name + short(curve.y[frame]) + (this.unit ? ' ' + this.unit : '');
    }
  }
}
