import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { consumers, groups, schedules } from '#functions/index.ts';
import { bundleAll } from '#lib/aws/functions/bundle.ts';
import type { LambdaName } from '#lib/aws/functions/lambdas.ts';
import { environmentOf } from '../fixtures/differences.ts';
import { type Figure, median } from './figures.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const loader = fileURLToPath(new URL('load.ts', import.meta.url));
const ROUNDS = 25;

/** Code that uses the SDK without any optimization. */
const stock = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
export const ready = () => DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }));
`;

const bundleStock = async (folder: string, name: string, source: string, format: 'esm' | 'cjs') => {
  const outfile = join(folder, name, format === 'esm' ? 'handler.mjs' : 'handler.cjs');
  await build({
    stdin: { contents: source, resolveDir: root, loader: 'js' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format,
    ...(format === 'esm' && { mainFields: ['module', 'main'] }),
    logLevel: 'error',
  });
  return outfile;
};

type Start = { name: string; file: string; kind: string };

const loadOnce = async ({ file, kind }: Start): Promise<number> => {
  const env = {
    ...environmentOf(['withoutTable']),
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
  };
  const { stdout } = await run(process.execPath, [loader, file, kind], { env, timeout: 20_000 });
  return Number(stdout.trim().split('\n').at(-1));
};

const medianOf = async (start: Start): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await loadOnce(start));
  return median(times);
};

/** Returns each bundle's median time (ms), and the median ratio to a reference loaded right before it. */
const compare = async (starts: readonly Start[], reference: Start) => {
  const found = starts.map(({ name }) => ({ name, times: [] as number[], ratios: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, start] of starts.entries()) {
      const referenceMs = await loadOnce(reference);
      const ms = await loadOnce(start);
      found[at]?.times.push(ms);
      found[at]?.ratios.push(ms / referenceMs);
    }
  return found.map(({ name, times, ratios }) => ({ name, ms: median(times), ratio: median(ratios) }));
};

const kinds = new Map<string, string>([
  ...groups.map(({ name }) => [name, 'api'] as const),
  ...consumers.map(({ name }) => [name, 'consumer'] as const),
  ...schedules.map(({ name }) => [name, 'schedule'] as const),
]);

const sizeOf = async (folder: string): Promise<number> => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  return (await Promise.all(files.map((name) => stat(join(folder, name))))).reduce((sum, { size }) => sum + size, 0);
};

/** Measures every function bundle's start time and size. */
export const measureStarts = async (folder: string): Promise<Figure[]> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  const names = [...kinds.keys()];
  const bundles = await bundleAll(names as LambdaName[], folder);
  const starts = names.map((name) => ({ name, file: join(folder, name, 'handler.mjs'), kind: kinds.get(name) ?? '' }));
  const references: [Start, Start] = [
    { name: 'stock esm', file: await bundleStock(folder, 'stock', stock, 'esm'), kind: 'stock' },
    { name: 'stock cjs', file: await bundleStock(folder, 'stock', stock, 'cjs'), kind: 'stock' },
  ];
  const esm = await medianOf(references[0]);
  const cjs = await medianOf(references[1]);
  const [reference, ms] = esm <= cjs ? [references[0], esm] : [references[1], cjs];
  const figures: Figure[] = [{ name: 'start: SDK document client, stock bundle', value: ms, unit: 'ms' }];
  for (const { name, ms, ratio } of await compare(starts, reference))
    figures.push({ name: `start: ${name}`, value: ratio, unit: 'x stock', max: 1.15, note: `${ms.toFixed(0)} ms` });
  for (const name of names) {
    const note = `${((await sizeOf(join(folder, name))) / 1e3).toFixed(0)} KB with lazy chunks`;
    const atStart = (bundles[name as LambdaName]?.startBytes ?? 0) / 1e3;
    figures.push({ name: `size: ${name}, at start`, value: atStart, unit: 'KB', max: 400, note });
  }
  return figures;
};
