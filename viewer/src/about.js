// The sheet behind "?": what is in the page, how exact it is, and the keys.
import { el, short } from './dom.js';
import { keyHelp, liveKeyHelp } from './keys.js';

export function verdict(clip) {
  const { steps, tolerance } = clip.header;
  const sum = (figure) => figure.reduce((a, b) => a + b, 0);
  const { certificate, rejected, failed_solve: solve, failed_motion: motion, failed_energy: energy, divided } = clip.figures;
  const missed = sum(rejected);
  const parts = [['solve', solve], ['motion', motion], ['energy', energy]].map(([name, figure]) => [name, sum(figure)]).filter(([, n]) => n > 0);
  const where = parts.length > 0 ? ` (${parts.map(([name, n]) => `${name}: ${n}`).join(', ')})` : '';
  const residual = `worst residual ${short(certificate.reduce((a, b) => Math.max(a, b), 0))}, tolerance ${short(tolerance)}`;
  const split = sum(divided) > 0 ? ` ${sum(divided)} were divided.` : '';
  const first = clip.header.rejected?.[0];
  const why = first ? ` Step ${first.step}: ${first.text}.` : '';
  const stopped = sum(clip.figures.stopped) > 0;
  const law = clip.header.scene?.simulation?.scheme?.type === 'relaxed' ? ' under the relaxed law' : '';
  if (steps === 0) return { good: false, text: 'No step was taken.' };
  if (stopped) return { good: false, text: `The run was stopped; ${missed} of ${steps} steps are not accepted${where}.${why}` };
  if (missed > 0) return { good: false, text: `${missed} of ${steps} steps are not accepted${where}; ${residual}.${split}${why}` };
  return { good: true, text: `All ${steps} steps accepted in solve, motion and energy${law}; ${residual}.${split}` };
}

export function whatIsKept(clip) {
  const { steps, frames, errors, contact_limit: limit, contacts_left_out: left, stride } = clip.header;
  const lines = [frames > steps ? `Every step is a frame: ${frames}.` :
    `${frames} frames of ${steps} steps, one in ${stride}. Plots and marks cover every step: errors are the largest, events the sum since the frame before.`];
  lines.push(`Rounded to 16 bits: positions at most ${short(errors.position)} m off, angles ${short(errors.angle)} rad, contact points ${short(errors.contact)} m, forces 1/32767 of the largest of a frame.`);
  if (left > 0) lines.push(`Of each frame the ${limit} strongest contacts are here.`);
  lines.push('Between frames the motion is interpolated; contacts are those of the nearest frame.');
  return lines;
}

export function liveLines(clip) {
  return ['The simulation runs in the program that serves this page; pages may come and go. Every frame carries the figures of all steps since the frame before: errors are the largest, events the sum.',
    `The last ${clip.capacity} frames stay here to look back at. Positions are rounded to 24 bits; of each frame at most ${clip.header.contact_limit} contacts are shown, the strongest.`,
    'Drag a body to pull it by a damped spring, at most 32 times its weight; shift and drag turns the view instead. Settings change from one step to the next and stay after a reset. The scene that you save has the settings of now and the bodies where the scene began.'];
}

export function aboutSheet(clip, close) {
  const settings = clip.header.scene?.simulation ?? {};
  const how = `Scheme ${settings.scheme?.type ?? '?'}, solver ${settings.solver?.type ?? '?'}, step ${settings.step ?? '?'} s. Written by Cairn ${clip.header.program}.`;
  return el('div', { class: 'cp-sheet', hidden: true, role: 'dialog', 'aria-label': 'about this page' },
    el('button', { type: 'button', text: 'Close', on: { click: close } }),
    el('h3', { text: 'About this page' }), ...(clip.live ? [] : [el('p', { text: verdict(clip).text })]), el('p', { text: how }),
    ...(clip.live ? liveLines(clip) : whatIsKept(clip)).map((line) => el('p', { text: line })),
    el('h3', { text: 'Keys' }),
    el('dl', {}, ...(clip.live ? liveKeyHelp : keyHelp).flatMap(([key, text]) => [el('dt', { text: key }), el('dd', { text })])),
    el('p', { text: 'Drag to turn (in the plane: to shift), wheel or two fingers to zoom, right button or two fingers to shift. Click a body to select it. #t=2.5 behind the address opens the page at that time.' }));
}
