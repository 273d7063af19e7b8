// The panel of a body: who it is, where it is, what it touches. Choose by picking or by name.
import { Contacts } from './contacts.js';
import { el, short } from './dom.js';

const NOT_UNIQUE = ['', ', not unique: shortest', ', not unique: of the solver'];
const MOST = 8; // contacts listed
const OFFERED = 50; // names offered while typing

// "hull, box"; many of a kind are counted.
function shapeList(shapes) {
  const counts = new Map();
  for (const { type } of shapes) counts.set(type, (counts.get(type) ?? 0) + 1);
  if (shapes.length <= 4) return shapes.map((shape) => shape.type).join(', ') || 'none';
  return [...counts].map(([type, count]) => `${count} ${type}`).join(', ');
}

export class Panel {
  constructor(clip, world, choose) {
    this.clip = clip;
    this.world = world;
    this.choose = choose;
    this.index = -1;
    this.names = el('datalist', { id: 'cairn-names' });
    this.search = el('input', { type: 'search', placeholder: 'body by name', 'aria-label': 'body by name', on: {
      input: () => this.offer(),
      change: () => this.find(),
    } });
    this.search.setAttribute('list', 'cairn-names');
    this.close = el('button', { type: 'button', text: 'Clear', hidden: true, on: { click: () => choose(-1) } });
    this.title = el('h3', { class: 'cp-name' });
    this.table = el('dl');
    this.list = el('ul');
    this.body = el('div', { hidden: true }, this.title, this.table, this.list);
    this.hint = el('p', { class: 'cp-hint', text: 'Click a body, or type its name.' });
    this.element = el('section', { class: 'cp-panel' }, el('div', { class: 'cp-find' }, this.search, this.close, this.names), this.hint, this.body);
  }

  offer() {
    const typed = this.search.value.toLowerCase();
    const fitting = [];
    for (const body of this.world.bodies) {
      if (body.name.toLowerCase().includes(typed)) fitting.push(body.name);
      if (fitting.length === OFFERED) break;
    }
    this.names.replaceChildren(...fitting.map((name) => el('option', { value: name })));
  }

  find() {
    const typed = this.search.value;
    if (typed === '') return;
    const body = this.world.byName.get(typed) ?? this.world.bodies.find((b) => b.name.toLowerCase().includes(typed.toLowerCase()));
    if (body) this.choose(body.index);
  }

  select(index) {
    this.index = index;
    const body = this.world.bodies[index];
    this.body.hidden = this.close.hidden = !body;
    this.hint.hidden = Boolean(body);
    this.search.value = '';
    if (body) this.title.textContent = body.name;
  }

  show(place) {
    const body = this.world.bodies[this.index];
    if (!body) return;
    const vector = (v) => v.map((x) => short(x)).join(', ');
    const rows = [['kind', body.kind], ['shapes', shapeList(body.shapes)]];
    if (body.kind === 'dynamic') rows.splice(1, 0, ['mass', short(body.mass) + ' kg']);
    if (body.moving >= 0) {
      const p = [0, 0, 0];
      this.clip.pose(body.moving, place, p, [0, 0, 0, 1]);
      rows.push(['position', vector(p) + ' m']);
    } else rows.push(['position', vector(body.position) + ' m']);
    if (body.kind === 'dynamic') {
      const v = this.clip.velocity(body.moving, place);
      rows.push(['velocity', vector(v) + ' m/s'], ['speed', short(Math.hypot(...v)) + ' m/s']);
      rows.push(['turns with', vector(this.clip.angularVelocity(body.moving, place)) + ' rad/s']);
    }
    this.table.replaceChildren(...rows.flatMap(([key, value]) => [el('dt', { text: key }), el('dd', { text: value })]));
    this.showContacts(place.nearest);
  }

  showContacts(frame) {
    const { contacts } = this.clip;
    const [begin, end] = contacts.range(frame);
    const found = [];
    for (let i = begin; i < end; ++i) if (contacts.touches(frame, i, this.index)) found.push(i);
    const lines = found.slice(0, MOST).map((i) => {
      const c = contacts.read(frame, i, Contacts.blank());
      const other = c.a === this.index ? c.b : c.a;
      const friction = Math.sqrt(Math.max(0, c.force.reduce((sum, x) => sum + x * x, 0) - c.push * c.push));
      return el('li', {}, el('button', { type: 'button', text: this.world.bodies[other].name, on: { click: () => this.choose(other) } }),
        ` ${short(c.push)} N, friction ${short(friction)} N, `, el('span', { class: c.slip ? 'cp-slip' : 'cp-stick', text: c.slip ? 'slips' : 'sticks' }), NOT_UNIQUE[c.kind]);
    });
    if (found.length > MOST) lines.push(el('li', { text: `and ${found.length - MOST} more` }));
    if (lines.length === 0) lines.push(el('li', { text: 'no contact with force' }));
    this.list.replaceChildren(...lines);
  }
}
