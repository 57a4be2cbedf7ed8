import { readCommandLine } from '#lib/local/command-line.ts';

const help = `npm run fuzz [-- --requests 10000] [--seed N]       or [-- --tables 2000] [--seed N]
Sends requests made of anything to a cloud of its own, until one is answered as none may be. With --tables it asks the
table in the process and dynoxide the same some 50 calls, so many times, until they do not agree.
Exit code: 0; 1 when it found one, which the same seed finds again; 2 for wrong options.`;
const options = {
  requests: { type: 'string', default: '10000' },
  tables: { type: 'string' },
  seed: { type: 'string' },
} as const;
const values = readCommandLine(options, help, { out: console.log, err: console.error }, (given) =>
  Object.values(given).every((text) => /^\d{1,10}$/.test(text)) ? null : 'whole numbers are wanted',
);
const seed = Number(values.seed ?? Date.now() % 2_147_483_647);

const fuzzTables = async (runs: number): Promise<boolean> => {
  console.log(`${runs} times some calls of both tables, seed ${seed}`);
  const { compareTables } = await import('./tables.ts');
  try {
    console.log(`${await compareTables(runs, seed)} calls, answered alike`);
    return true;
  } catch (error) {
    console.error(error);
    return false;
  }
};

const fuzzRequests = async (requests: number): Promise<boolean> => {
  console.log(`${requests} requests, seed ${seed}`);
  const { fuzz, fuzzWorld } = await import('./fuzz.ts');
  const world = await fuzzWorld();
  const onRequest = (sent: number) => sent % 1_000 === 0 && console.log(`${sent} sent`);
  const { finding, statuses } = await fuzz(world, { requests, seed, onRequest });
  await world.stop();
  console.log(
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join('  '),
  );
  if (finding !== null) console.error(`FOUND with seed ${seed}\n${finding}`);
  return finding === null;
};

const isWell = values.tables ? fuzzTables(Number(values.tables)) : fuzzRequests(Number(values.requests));
process.exitCode = (await isWell) ? 0 : 1;
