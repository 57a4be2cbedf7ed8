import { readCommandLine } from '#lib/local/command-line.ts';

const help = `npm run fuzz [-- --requests 10000] [--seed N]       or [-- --tables 2000] [--seed N]
Sends random requests to a separate cloud until a response is wrong. With --tables it sends the same 50 or so calls to the
in-process table and to dynoxide, that number of times, until their results differ.
Exit code: 0 if nothing was found; 1 if something was, which the same seed finds again; 2 for invalid options.`;
const options = {
  requests: { type: 'string', default: '10000' },
  tables: { type: 'string' },
  seed: { type: 'string' },
} as const;
const values = readCommandLine(options, help, { out: console.log, err: console.error }, (texts) =>
  Object.values(texts).every((text) => /^\d{1,10}$/.test(text)) ? null : 'options must be whole numbers',
);
const seed = Number(values.seed ?? Date.now() % 2_147_483_647);

const fuzzTables = async (runs: number): Promise<boolean> => {
  console.log(`${runs} series of calls to both tables, seed ${seed}`);
  const { compareTables } = await import('./tables.ts');
  try {
    console.log(`${await compareTables(runs, seed)} calls with equal results`);
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

const passed = values.tables ? fuzzTables(Number(values.tables)) : fuzzRequests(Number(values.requests));
process.exitCode = (await passed) ? 0 : 1;
