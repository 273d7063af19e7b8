// What stands behind # in the address: t=2.5 freezes a time; select, theme, view, bare, on and off set
// the rest.

// 'front', or degrees around and above and a factor: '30,20' or '30,20,1.5'.
function look(player, text) {
  const [azimuth, elevation, zoom] = text.split(',').map(Number);
  if (Number.isFinite(azimuth) && Number.isFinite(elevation)) player.look({ azimuth, elevation }, zoom || 1);
  else if (['home', 'front', 'side', 'top'].includes(text)) player.look(text);
}

export function readAddress(text = window.location.hash) {
  return new URLSearchParams(text.replace(/^#/, ''));
}

export function apply(player, address) {
  if (address.has('theme')) player.setTheme(address.get('theme') === 'dark');
  for (const [key, wanted] of [['on', true], ['off', false]])
    for (const name of (address.get(key) ?? '').split(',').filter(Boolean)) {
      const entry = player.switches.find((candidate) => candidate.name === name && candidate.get);
      if (entry && Boolean(entry.get()) !== wanted) player.flip(name);
    }
  if (address.has('bare')) player.bare();
  if (address.has('view')) look(player, address.get('view'));
  if (address.has('select')) {
    const body = player.world.byName.get(address.get('select'));
    if (body) player.select(body.index);
  }
  const t = Number(address.get('t'));
  if (address.has('t') && Number.isFinite(t)) {
    player.playback.pause();
    player.playback.seek(t);
    return true;
  }
  return false;
}
