// A motion in frames, interpolated in between. What holds the frames (clip.js, live_clip.js) gives
// `time`, `frames` and value(m, k, frame): channel k of moving body m.

export const CHANNELS = 13; // position 3, orientation w x y z, velocity 3, angular velocity 3

export class Motion {
  get start() {
    return this.time[0];
  }
  get end() {
    return this.time[this.frames - 1];
  }

  // The frame at or before t, and how far t is on the way to the next one.
  locate(t) {
    let lo = 0;
    let hi = this.frames - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.time[mid] <= t) lo = mid;
      else hi = mid - 1;
    }
    const next = Math.min(lo + 1, this.frames - 1);
    const span = this.time[next] - this.time[lo];
    const share = span > 0 ? Math.min(1, Math.max(0, (t - this.time[lo]) / span)) : 0;
    return { frame: lo, next, share, nearest: share > 0.5 ? next : lo };
  }

  mixed(m, k, place) {
    const a = this.value(m, k, place.frame);
    return place.share === 0 ? a : a + place.share * (this.value(m, k, place.next) - a);
  }

  // p[3] and q[4] = x, y, z, w, interpolated.
  pose(m, place, p, q) {
    for (let k = 0; k < 3; ++k) p[k] = this.mixed(m, k, place);
    const w = this.mixed(m, 3, place);
    const x = this.mixed(m, 4, place);
    const y = this.mixed(m, 5, place);
    const z = this.mixed(m, 6, place);
    const size = Math.sqrt(w * w + x * x + y * y + z * z) || 1;
    q[0] = x / size;
    q[1] = y / size;
    q[2] = z / size;
    q[3] = w / size;
  }

  velocity(m, place) {
    return [7, 8, 9].map((k) => this.mixed(m, k, place));
  }
  angularVelocity(m, place) {
    return [10, 11, 12].map((k) => this.mixed(m, k, place));
  }

  // A curve over all frames, for a plot.
  series(m, channels) {
    const y = new Float64Array(this.frames);
    for (let f = 0; f < this.frames; ++f)
      y[f] = channels.length === 1 ? this.value(m, channels[0], f) : Math.hypot(...channels.map((k) => this.value(m, k, f)));
    return y;
  }
}
