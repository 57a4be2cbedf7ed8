import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import manifest from '#package.json' with { type: 'json' };
import { document } from '#test/contracts/document.ts';
import { writeNight } from './night.ts';

// Usage: node test/upgrade/write.ts. Run it at each release. It writes a night's data folder as stored by this version,
// and this version's OpenAPI document.
const folder = await mkdtemp(join(tmpdir(), 'night-'));
const { statements, known } = await writeNight(folder);
await rm(folder, { recursive: true });
const to = (ending: string) => new URL(`versions/${manifest.version}.${ending}`, import.meta.url);
await writeFile(to('sql'), statements);
await writeFile(to('json'), `${JSON.stringify(known, null, 2)}\n`);
await writeFile(to('openapi.json.gz'), gzipSync(JSON.stringify(document), { level: 9 }));
