// The plots beside the picture: energies, errors, contacts, and a curve of the selected body.
import { el } from './dom.js';
import { Plot } from './plot.js';

const quantities = [
  ['x', 'm', [0]], ['y', 'm', [1]], ['z', 'm', [2]], ['speed', 'm/s', [7, 8, 9]],
  ['v x', 'm/s', [7]], ['v y', 'm/s', [8]], ['v z', 'm/s', [9]], ['angular speed', 'rad/s', [10, 11, 12]],
];

export class Plots {
  constructor(clip, world, seek) {
    this.clip = clip;
    this.world = world;
    const f = clip.figures;
    const add = (title, unit, curves, options) => new Plot(clip, title, unit, curves, options ?? {}, seek);
    this.plots = [
      add('Energy', 'J', [{ name: 'total', y: f.total }, { name: 'kinetic', y: f.kinetic }, { name: 'potential', y: f.potential }]),
      add('Certificate', '', [{ name: 'residual', y: f.certificate }], { log: true, line: clip.header.tolerance }),
    ];
    const any = (figure) => clip.live || figure.some((x) => x > 0);
    if (f.coulomb.some((x) => x > 0) || (clip.live && clip.header.scene?.simulation?.scheme?.type === 'relaxed')) this.plots.push(add('Residual of exact Coulomb friction', '', [{ name: 'residual', y: f.coulomb }], { log: true }));
    if (world.joints.length > 0) this.plots.push(add('Joint error', 'm', [{ name: 'error', y: f.joint_error }], { log: true }));
    if (any(f.candidates))
      this.plots.push(
        add('Penetration', 'm', [{ name: 'penetration', y: f.penetration }], { log: true }),
        add('Overlap of the inner radius', '', [{ name: 'overlap', y: f.overlap }], { log: true, line: clip.header.overlap_limit }),
        add('Contacts', '', [{ name: 'candidates', y: f.candidates }, { name: 'with force', y: f.active }], { zero: true }));
    if (any(f.impacts)) this.plots.push(add('Energy of impacts', 'J', [{ name: 'lost', y: f.impact_loss }, { name: 'put in', y: f.impact_gain }], { zero: true }));
    this.bodyPlot = add('', 'm', [], { least: 1e-6 * world.size });
    this.choice = el('select', { 'aria-label': 'quantity of the body', on: { change: () => { this.chosen = true; this.select(this.selected); } } },
      ...quantities.map(([name, unit], i) => el('option', { value: String(i), text: `${name} [${unit}]` })));
    this.chosen = false; // until then the coordinate that varies most
    this.bodyPlot.element.querySelector('figcaption').append(this.choice);
    this.bodyPlot.element.hidden = true;
    this.all = [this.bodyPlot, ...this.plots];
    this.element = el('div', { class: 'cp-plots' }, ...this.all.map((plot) => plot.element));
    this.selected = -1;
  }

  select(index) {
    this.selected = index;
    const body = this.world.bodies[index];
    this.bodyPlot.element.hidden = !body || body.moving < 0;
    if (this.bodyPlot.element.hidden) return;
    if (!this.chosen) this.choice.value = String(this.liveliest(body.moving));
    const [name, unit, channels] = quantities[Number(this.choice.value)];
    this.bodyPlot.unit = unit;
    this.bodyPlot.setCurves([{ name, y: this.clip.series(body.moving, channels) }], body.name + ': ' + name);
    this.bodyPlot.draw();
    this.show(this.t ?? this.clip.start);
  }

  liveliest(moving) {
    const spans = [0, 1, 2].map((k) => {
      const y = this.clip.series(moving, [k]);
      return y.reduce((a, b) => Math.max(a, b)) - y.reduce((a, b) => Math.min(a, b));
    });
    return spans.indexOf(Math.max(...spans));
  }

  draw() {
    for (const plot of this.all) plot.draw();
  }

  // The clip has grown.
  grow() {
    for (const plot of this.plots) plot.setCurves(plot.curves);
    this.select(this.selected);
    this.draw();
  }

  show(t) {
    this.t = t;
    const { nearest } = this.clip.locate(t);
    for (const plot of this.all) plot.show(t, nearest);
  }
}
