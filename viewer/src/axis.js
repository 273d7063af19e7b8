// An axis: which values, where the ticks are; linear, or logarithmic with a band for zero.

function roundTicks(lo, hi, most) {
  const span = hi - lo;
  if (!(span > 0)) return [lo];
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => span / x <= most);
  const ticks = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k) ticks.push(k * step);
  return ticks;
}

function decades(lo, hi, most) {
  const first = Math.ceil(Math.log10(lo) - 1e-9);
  const last = Math.floor(Math.log10(hi) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let k = first; k <= last; k += step) ticks.push(10 ** k);
  return ticks;
}

// `least` is the least span of a linear axis. `share`(y) = 0 at the bottom, 1 at the top.
export function makeAxis(curves, { log = false, zero = false, line = null, least = 0 }) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const y of curves)
    for (const x of y) {
      if (!Number.isFinite(x) || (log && x <= 0)) continue;
      lo = Math.min(lo, x);
      hi = Math.max(hi, x);
    }
  if (line !== null) [lo, hi] = [Math.min(lo, line), Math.max(hi, line)];
  if (log) {
    if (!(lo > 0)) [lo, hi] = [1e-16, 1];
    [lo, hi] = [lo / 1.5, hi * 1.5];
    const base = 0.08; // zero lies below it
    const share = (y) => (y > 0 ? base + ((1 - base) * Math.log(y / lo)) / Math.log(hi / lo) : 0.02);
    return { share, ticks: decades(lo, hi, 4), name: (y) => '1e' + Math.round(Math.log10(y)) };
  }
  if (zero) lo = Math.min(lo, 0);
  if (!(lo <= hi) || (zero && hi <= 0)) [lo, hi] = [0, 1];
  if (hi - lo <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi))) [lo, hi] = [lo - (Math.abs(lo) || 1) / 2, hi + (Math.abs(hi) || 1) / 2];
  if (hi - lo < least) [lo, hi] = [(lo + hi - least) / 2, (lo + hi + least) / 2]; // below it lies rounding
  const margin = 0.06 * (hi - lo);
  [lo, hi] = [zero && lo === 0 ? 0 : lo - margin, hi + margin];
  const ticks = roundTicks(lo, hi, 4);
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(Math.abs(ticks[1] - ticks[0]) || 1))));
  const large = Math.max(Math.abs(lo), Math.abs(hi)) >= 1e5 || digits > 5;
  return { share: (y) => (y - lo) / (hi - lo), ticks, name: (y) => (y === 0 ? '0' : large ? y.toExponential(1).replace('e+', 'e') : y.toFixed(digits)) };
}

export { roundTicks };
