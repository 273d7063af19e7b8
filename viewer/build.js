// Bundles the player into dist/: one script and one style sheet, which the program carries. The same
// sources give the same bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');
const license = readFileSync(join(here, 'node_modules/three/LICENSE'), 'utf8').trim();

const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.js'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome105', 'firefox113', 'safari16.4'],
  charset: 'ascii',
  legalComments: 'none',
  banner: { js: '/*! This script contains three.js.\n\n' + license.replace('\u00a9', '(c)') + '\n*/' },
  write: false,
});
const script = result.outputFiles[0].text;
if (/<\/script|<!--/i.test(script)) throw new Error('the bundle would end the element that holds it');
if (/[^\x00-\x7f]/.test(script)) throw new Error('the bundle is not plain ASCII');
const style = (await transform(readFileSync(join(here, 'src/style.css'), 'utf8'), { loader: 'css', minify: true })).code;
writeFileSync(join(out, 'player.js'), script);
writeFileSync(join(out, 'player.css'), style);
console.log(`player.js ${script.length} bytes, player.css ${style.length} bytes`);
