// The clock of the player: where it is, whether it runs, how fast.

export class Playback {
  constructor(clip, changed) {
    this.clip = clip;
    this.changed = changed;
    this.t = clip.start;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.last = null;
  }

  play() {
    if (this.t >= this.clip.end) this.t = this.clip.start;
    this.playing = this.clip.end > this.clip.start;
    this.last = null;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(t) {
    this.t = Math.min(this.clip.end, Math.max(this.clip.start, t));
    this.changed();
  }

  // By frames: the next one ahead, or the one behind.
  step(by) {
    this.playing = false;
    const { frame, share } = this.clip.locate(this.t);
    const from = by < 0 && share > 0 ? frame + 1 : frame;
    this.seek(this.clip.time[Math.min(this.clip.frames - 1, Math.max(0, from + by))]);
  }

  // To the next frame, forward or back, in which `figure` is not zero.
  jump(figure, by) {
    const { frame } = this.clip.locate(this.t);
    for (let f = frame + by; f >= 0 && f < this.clip.frames; f += by)
      if (figure[f] > 0) {
        this.playing = false;
        this.seek(this.clip.time[f]);
        return true;
      }
    return false;
  }

  // `now` in milliseconds.
  tick(now) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    let t = this.t + passed * this.speed;
    if (t >= this.clip.end) {
      if (this.loop) t = this.clip.start;
      else this.playing = false;
    }
    this.seek(t);
  }
}
