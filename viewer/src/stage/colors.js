// Colours: of bodies by rank, of the page by theme.
import { Color, SRGBColorSpace } from 'three';

const hues = [212, 24, 152, 338, 265, 45, 186, 95];
const hsl = (h, s, l) => new Color().setHSL(h / 360, s / 100, l / 100, SRGBColorSpace);

// A colour that the scene gives.
export function ownColor(rgb) {
  return new Color().setRGB(...rgb, SRGBColorSpace);
}

// Few bodies get colours of their own; many get shades of one, so that the eye sees the heap and not
// the palette; among many, those that are much larger than the rest stand out.
export function bodyColors(world) {
  const free = world.bodies.filter((body) => body.kind === 'dynamic');
  const colors = world.bodies.map(() => hsl(220, 8, 64));
  free.forEach((body, rank) => {
    if (free.length <= 8) colors[body.index] = hsl(hues[rank % hues.length], 58, 60);
    else if (body.reach > 2 * world.typical) colors[body.index] = hsl(24, 75, 56);
    else colors[body.index] = hsl(212, 48, 50 + 3 * (Math.imul(rank, 0x9e3779b1) >>> 29));
  });
  for (const body of world.bodies) if (body.color) colors[body.index] = ownColor(body.color);
  return colors;
}

const styles = {
  light: {
    sky: '#f4f5f3', ground: '#e3e4df', line: '#c9cbc5', joint: '#33363b', normal: '#c81e5b', stick: '#0f766e',
    slip: '#e08600', select: '#ffd21f', trail: '#7a3ea8', light: 2.3, ambient: 1.1, head: 0.8,
  },
  dark: {
    sky: '#15171a', ground: '#26292e', line: '#3d4248', joint: '#d3d6da', normal: '#ff5c93', stick: '#2dd4bf',
    slip: '#ffb020', select: '#ffe169', trail: '#c58be0', light: 1.9, ambient: 0.7, head: 0.7,
  },
};

export function themeColors(dark) {
  return dark ? styles.dark : styles.light;
}

// Slow is blue, fast is yellow.
export function speedColor(share, out) {
  return out.setHSL((220 - 170 * share) / 360, 0.7, 0.5 + 0.12 * share, SRGBColorSpace);
}
