/**
 * Compares the OpenAPI document with the version last tried with the generators. Exits with 1 if it changed. `--record`
 * marks the current document as tried.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { document } from '../contracts/document.ts';

const file = new URL('tried.sha256', import.meta.url);
const digest = `${createHash('sha256').update(JSON.stringify(document)).digest('hex')}\n`;

if (process.argv.includes('--record')) writeFileSync(file, digest);
else process.exitCode = readFileSync(file, 'utf8') === digest ? 0 : 1;
