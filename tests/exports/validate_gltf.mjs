// Asks the Khronos validator (viewer/package.json) about a file; prints its verdict as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../viewer/', import.meta.url));
const report = await require('gltf-validator').validateBytes(new Uint8Array(readFileSync(process.argv[2])));
const { numErrors, numWarnings, messages } = report.issues;
console.log(JSON.stringify({ errors: numErrors, warnings: numWarnings, messages, animations: report.info.animationCount }));
