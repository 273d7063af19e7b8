// The line to the program that simulates: comes back by itself when it breaks.

const FIRST = 500; // until the next attempt [ms]
const LAST = 5000;

export class Link {
  // on: state('open' | 'lost'), text(object), frame(buffer)
  constructor(name, on) {
    this.address = new URL(name, window.location.href);
    this.address.protocol = this.address.protocol === 'https:' ? 'wss:' : 'ws:';
    this.address.hash = '';
    this.on = on;
    this.wait = FIRST;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.address.href);
    this.socket.binaryType = 'arraybuffer';
    this.socket.addEventListener('open', () => {
      this.wait = FIRST;
      this.on.state('open');
    });
    this.socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.on.text(JSON.parse(data));
      else {
        this.on.frame(data);
        this.send({ do: 'seen' });
      }
    });
    this.socket.addEventListener('close', () => {
      this.on.state('lost');
      window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(LAST, 2 * this.wait);
    });
  }

  send(command) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}
