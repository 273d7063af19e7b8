// Starts the player of the page, recorded or live.
import { apply, readAddress } from './address.js';
import { Clip } from './clip.js';
import { el } from './dom.js';
import { startLive } from './live/live.js';
import { unpackMeshes } from './meshes.js';
import { readPayload } from './payload.js';
import { Player } from './player.js';
import { selfTest, watchErrors } from './selftest.js';

async function start() {
  const root = document.getElementById('cairn-player');
  if (root.dataset.live) {
    startLive(root);
    return;
  }
  const address = readAddress();
  const testing = address.has('selftest');
  const errors = testing ? watchErrors() : [];
  try {
    const payload = await readPayload(document.getElementById('cairn-clip').textContent);
    await unpackMeshes(payload.header.scene);
    const clip = new Clip(payload);
    if (document.body.classList.contains('cairn-page')) document.title = clip.header.title || 'Cairn';
    const player = new Player(clip, root);
    apply(player, address);
    window.addEventListener('hashchange', () => {
      if (apply(player, readAddress())) root.scrollIntoView({ block: 'nearest' });
    });
    if (testing) selfTest(player, errors);
  } catch (fault) {
    root.replaceChildren(el('p', { class: 'cp-fault', text: 'The player cannot start: ' + fault.message }));
    console.error(fault);
  }
}

start();
