import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { typos } from './fixtures/typos.ts';

const root = new URL('..', import.meta.url).pathname;
const FILE = 'test/types.test-d.ts';

/** The cases in the file, each with a title and the first and last line number (from 1). */
const lines = readFileSync(root + FILE, 'utf8').split('\n');
const starts = lines.flatMap((line, at) => (line.startsWith('// case: ') ? [at] : []));
const cases = starts.map((start, at) => ({
  title: (lines[start] ?? '').slice('// case: '.length),
  from: start + 1,
  to: starts[at + 1] ?? lines.length,
}));

type CompilerError = { file: string; line: number; column: number; text: string };
type CompilerReport = { includesCases: boolean; errors: CompilerError[] };

/**
 * The project's options, limited to the functions, the cases and the modules they import. This is faster than the whole
 * project.
 */
const config = { extends: './tsconfig.base.json', include: ['functions', FILE], exclude: [] };

const compile = (project: string): Promise<string> => {
  // Several checkers would check shared types several times, which takes twice the CPU.
  const options = ['-p', project, '--pretty', 'false', '--listFiles', '--checkers', '1'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`${root}node_modules/typescript-7/bin/tsc`, ...options],
      { cwd: project, maxBuffer: Number.POSITIVE_INFINITY },
      (_, output) => resolve(output),
    );
  });
};

const contractOf = (group: string) => `functions/api/${group}/contract.ts`;

/** Inserts a typo into a contract copy. */
const insertTypo = async (folder: string, { group, right, wrong }: (typeof typos)[number]): Promise<void> => {
  const file = join(folder, contractOf(group));
  const contract = await readFile(file, 'utf8');
  expect(contract).toContain(right);
  await writeFile(file, contract.replace(right, wrong));
};

/**
 * Returns the compiler errors in the cases and in a program copy with every typo at once. An unneeded
 * `@ts-expect-error` is an error, too.
 */
const compileAll = async (): Promise<CompilerReport> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'types-')));
  try {
    for (const part of ['functions', 'shared', FILE, 'package.json'])
      await cp(root + part, join(folder, part), { recursive: true });
    await cp(`${root}tsconfig.json`, join(folder, 'tsconfig.base.json'));
    await symlink(`${root}node_modules`, join(folder, 'node_modules'));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    for (const typo of typos) await insertTypo(folder, typo);
    const output = await compile(folder);
    const found = [...output.matchAll(/^(\S.*?)\((\d+),(\d+)\): (.*)$/gm)];
    const errors = found.map(([, file = '', line, column, text = '']) => ({
      file,
      line: Number(line),
      column: Number(column),
      text,
    }));
    return { includesCases: output.split('\n').some((line) => line.endsWith(`/${FILE}`)), errors };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The expected error position for a typo: where the replaced text begins. */
const positionOf = ({ group, right }: (typeof typos)[number]) => {
  const file = contractOf(group);
  const before = readFileSync(root + file, 'utf8').split(right)[0] ?? '';
  return { file, line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
};

let report: CompilerReport;
// The compiler may take this long on a busy machine.
beforeAll(async () => {
  report = await compileAll();
}, 300_000);

describe('the compiler', () => {
  test.each(cases)('$title', ({ title, from, to }) => {
    const body = lines.slice(from, to);
    const refuses = body.filter((line) => line.includes('@ts-expect-error')).length;
    expect(refuses).toBe(title.endsWith('compiles') ? 0 : 1);
    expect(report.errors.filter(({ file, line }) => file === FILE && line > from && line <= to)).toEqual([]);
  });

  test('compiles the cases file without errors outside the cases', () => {
    expect(report.includesCases).toBe(true);
    expect(report.errors.filter(({ file }) => file === FILE)).toEqual([]);
    expect(cases.length).toBeGreaterThan(10);
  });
});

describe('the compiler', () => {
  test.each(typos)('reports one error, at the mistake, for a contract with $what', (typo) => {
    const place = positionOf(typo);
    const found = report.errors.filter(({ file, line }) => file === place.file && line === place.line);
    expect(found).toMatchObject([place]);
  });

  test('reports no errors elsewhere in the program', () => {
    const lines = typos.map(positionOf).map(({ file, line }) => `${file}:${line}`);
    expect(report.errors.filter(({ file, line }) => !lines.includes(`${file}:${line}`))).toEqual([]);
  });
});
