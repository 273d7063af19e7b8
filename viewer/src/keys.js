// The keyboard.

export const keyHelp = [
  ['space', 'play and stop'], ['\u2190 \u2192', 'one frame back, on'], ['shift \u2190 \u2192', 'ten frames'],
  ['Home End', 'to the start, to the end'], ['+ \u2212', 'faster, slower'], ['L', 'play in a loop'],
  ['N P', 'next, previous step that is not accepted'], ['C', 'contact points'], ['F', 'contact forces'],
  ['M', 'contact normals'], ['J', 'joints'], ['T', 'paths'], ['H', 'shadows'], ['V', 'colour by speed'],
  ['G', 'follow the selected body'], ['R', 'show all'], ['1 2 3 4', 'home, front, side, top'],
  ['[ ]', 'shorter, longer arrows'], ['D', 'light and dark'], ['X', 'full screen'], ['Esc', 'clear the selection'], ['?', 'this list'],
];

export const liveKeyHelp = [
  ['space', 'start and pause'], ['\u2192', 'one step; after looking back: one frame on'], ['\u2190', 'pause and look back'],
  ['End', 'back to the newest frame'], ['0', 'reset'], ['S', 'save the scene'],
  ...keyHelp.filter(([key]) => !['space', 'Home End', 'L', 'shift \u2190 \u2192', '\u2190 \u2192'].includes(key)),
];

export function listen(player, element) {
  const { playback } = player;
  const actions = {
    ' ': () => playback.toggle(),
    ArrowLeft: (event) => playback.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => playback.step(event.shiftKey ? 10 : 1),
    Home: () => playback.seek(player.clip.start),
    End: () => playback.seek(player.clip.end),
    '+': () => player.toolbar.faster(1),
    '=': () => player.toolbar.faster(1),
    '-': () => player.toolbar.faster(-1),
    n: () => playback.jump(player.clip.figures.rejected, 1),
    p: () => playback.jump(player.clip.figures.rejected, -1),
    '1': () => player.look('home'),
    '2': () => player.look('front'),
    '3': () => player.look('side'),
    '4': () => player.look('top'),
    '[': () => player.scaleArrows(1 / 1.4),
    ']': () => player.scaleArrows(1.4),
    Escape: () => player.select(-1),
    '?': () => player.flip('help'),
    ...player.moreKeys,
  };
  for (const entry of player.switches) if (entry.key && entry.key.length === 1) actions[entry.key.toLowerCase()] ??= () => player.flip(entry.name);
  element.addEventListener('keydown', (event) => {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches?.('input, select, textarea')) return;
    if (target.matches?.('button') && event.key === ' ') return; // it presses the button
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
