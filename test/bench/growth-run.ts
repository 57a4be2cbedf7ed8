import { readFile, writeFile } from 'node:fs/promises';
import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run growth [-- --write]
Prints which limits 10,000, 100,000 and 1,000,000 sensors meet; --write puts it into shared/GROWTH.md.`;
const options = { write: { type: 'boolean', default: false } } as const;
const { write } = readCommandLine(options, help, { out: console.log, err: console.error });
const { growthText } = await import('./growth.ts');
console.log(growthText());
const file = new URL('../../shared/GROWTH.md', import.meta.url);
if (write) {
  const text = await readFile(file, 'utf8');
  const whole = /(?<=<!-- growth: start -->\n\n).*(?=\n\n<!-- growth: end -->)/s;
  await writeFile(file, text.replace(whole, growthText));
}
