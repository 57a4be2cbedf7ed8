import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const FILE = 'test/types.test-d.ts';

/** The cases of the file: title, and its first and last line, from 1. */
const lines = readFileSync(root + FILE, 'utf8').split('\n');
const starts = lines.flatMap((line, at) => (line.startsWith('// case: ') ? [at] : []));
const cases = starts.map((start, at) => ({
  title: (lines[start] ?? '').slice('// case: '.length),
  from: start + 1,
  to: starts[at + 1] ?? lines.length,
}));

type Judgement = { looked: boolean; faults: { line: number; text: string }[] };

/** The project's own options, for the cases and what they import alone: quicker than the whole project. */
const config = {
  extends: `${root}tsconfig.json`,
  compilerOptions: { typeRoots: [`${root}node_modules/@types`] },
  include: [],
  files: [root + FILE],
};

const compile = (project: string): Promise<string> => {
  const options = ['-p', project, '--pretty', 'false', '--listFiles'];
  return new Promise((resolve) => {
    execFile(process.execPath, [`${root}node_modules/typescript-7/bin/tsc`, ...options], (_, output) =>
      resolve(output),
    );
  });
};

/** What the compiler finds wrong in the cases; a `@ts-expect-error` that it has no use for is wrong. */
const judge = async (): Promise<Judgement> => {
  const folder = await mkdtemp(join(tmpdir(), 'types-'));
  try {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const output = await compile(folder);
    const found = [...output.matchAll(/^(.*?)\((\d+),\d+\): (.*)$/gm)].filter(([, file]) => file?.endsWith(FILE));
    const faults = found.map(([, , line, text = '']) => ({ line: Number(line), text }));
    return { looked: output.split('\n').some((line) => line.endsWith(`/${FILE}`)), faults };
  } finally {
    await rm(folder, { recursive: true });
  }
};

let judgement: Judgement;
beforeAll(async () => {
  judgement = await judge();
});

describe('the compiler', () => {
  test.each(cases)('$title', ({ title, from, to }) => {
    const body = lines.slice(from, to);
    const refuses = body.filter((line) => line.includes('@ts-expect-error')).length;
    expect(refuses).toBe(title.endsWith('compiles') ? 0 : 1);
    expect(judgement.faults.filter(({ line }) => line > from && line <= to)).toEqual([]);
  });

  test('did look at the cases, and finds nothing else wrong there', () => {
    expect(judgement).toEqual({ looked: true, faults: [] });
    expect(cases.length).toBeGreaterThan(10);
  });
});
