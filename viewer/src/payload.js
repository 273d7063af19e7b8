// From the text in the page to the header and the typed arrays of the clip.

const types = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u8: Uint8Array };

export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes) {
  if (typeof DecompressionStream === 'undefined')
    throw new Error('this browser is too old for the player: it lacks DecompressionStream');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

export async function readPayload(text) {
  const buffer = await inflate(bytesOf(text.trim()));
  const mark = new TextDecoder().decode(new Uint8Array(buffer, 0, 8));
  if (mark !== 'CairnClp') throw new Error('the data in this page are no clip');
  const length = Number(new DataView(buffer).getBigUint64(8, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length)));
  const start = Math.ceil((16 + length) / 8) * 8;
  const sections = {};
  for (const s of header.sections) sections[s.name] = new types[s.type](buffer, start + s.offset, s.count);
  return { header, sections };
}
