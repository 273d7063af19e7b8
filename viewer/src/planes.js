// Undoes what the program did so that numbers compress: planes of bytes, zigzag differences.

// Number i of `count`, whose low bytes lie at `start` and whose high bytes follow them.
export function zigzagAt(bytes, start, count, i) {
  const z = bytes[start + i] | (bytes[start + count + i] << 8);
  return (z >>> 1) ^ -(z & 1);
}

export function wordAt(bytes, start, count, i) {
  return bytes[start + i] | (bytes[start + count + i] << 8) | (bytes[start + 2 * count + i] << 16) |
    (bytes[start + 3 * count + i] << 24);
}

export function signed16(x) {
  return (x << 16) >> 16;
}
