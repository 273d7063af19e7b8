// Starts the live view: waits for the scene and its first frame, then lets the player take over.
import { apply, readAddress } from '../address.js';
import { el } from '../dom.js';
import { LiveClip, readFrame } from './live_clip.js';
import { Link } from './live_link.js';
import { LivePlayer } from './live_player.js';
import { hasMeshes, unpackMeshes } from '../meshes.js';

// A file for the user, made in the page.
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = el('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function startLive(root) {
  let player = null;
  let clip = null;
  let status = null;
  let state = 'lost';
  let greeted = false;
  let early = null; // a frame that came while meshes were unpacked
  const waiting = el('p', { class: 'cp-hint', text: 'Connecting ...' });
  root.replaceChildren(waiting);
  const fail = (fault) => {
    root.replaceChildren(el('p', { class: 'cp-fault', text: 'The live view cannot go on: ' + fault.message }));
    console.error(fault);
  };
  const begin = (frame) => {
    clip.push(frame);
    document.title = clip.header.title || 'Cairn';
    player = new LivePlayer(clip, root, status);
    player.setLine(state);
    apply(player, readAddress());
    window.cairnLive = player; // for whoever looks from the console, and for tests
  };
  const greet = async (hello) => {
    greeted = true;
    if (hasMeshes(hello.scene)) await unpackMeshes(hello.scene);
    clip = new LiveClip(hello);
    clip.send = (command) => link.send(command);
    if (early && status) begin(readFrame(early, clip.header.figures));
    early = null;
  };
  const link = new Link(root.dataset.live, {
    state(now) {
      state = now;
      player?.setLine(now);
      if (!player) waiting.textContent = now === 'open' ? 'Connected; waiting for the scene ...' : 'No connection: has the program ended? Trying again ...';
    },
    text(message) {
      // The same program greets again after a break: the player stays.
      if (message.hello && !clip && !greeted) greet(message.hello).catch(fail);
      if (message.status) {
        status = message.status;
        player?.setStatus(status);
      }
      if (message.error) player?.settings?.refuse(message.error);
      if (message.scene) download(message.scene.file, message.scene.text);
    },
    frame(buffer) {
      try {
        if (!clip || !status) {
          if (greeted) early = buffer;
          return;
        }
        const frame = readFrame(buffer, clip.header.figures);
        if (player) player.take(frame);
        else begin(frame);
      } catch (fault) {
        fail(fault);
      }
    },
  });
}
