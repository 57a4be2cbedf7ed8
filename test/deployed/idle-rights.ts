import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folderIn = (assembly: string) => join(assembly, 'idle');

/** Notes for the end of the run which rights of a cloud nothing used. */
export const noteIdle = (assembly: string, rights: readonly string[]): void => {
  mkdirSync(folderIn(assembly), { recursive: true });
  writeFileSync(join(folderIn(assembly), `${randomUUID()}.json`), JSON.stringify(rights));
};

/** The rights that nothing used in any cloud of the run, each with its functions. */
export const idleRights = (assembly: string): string[] => {
  if (!existsSync(folderIn(assembly))) return [];
  const read = (file: string) => new Set<string>(JSON.parse(readFileSync(join(folderIn(assembly), file), 'utf8')));
  const [first = new Set<string>(), ...more] = readdirSync(folderIn(assembly)).map(read);
  const idle = [...first].filter((right) => more.every((other) => other.has(right)));
  const byRight = Map.groupBy(idle, (line) => line.slice(line.indexOf(': ') + 2));
  return [...byRight].map(([right, lines]) => `${right}: ${lines.map((line) => line.split(':')[0]).join(', ')}`).sort();
};
