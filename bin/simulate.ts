import { systemClock } from '../lib/local/clock.ts';
import { startCloud } from '../lib/local/cloud.ts';
import { readCommandLine } from '../lib/local/command-line.ts';
import { simulate, type Tally, tallyText } from '../lib/local/simulate/run.ts';
import { settingsFrom } from '../shared/env.ts';

const help = `npm run simulate             days in a care home: sensors of both makers, over the same HTTP as real ones
  --sensors 50               how many sensors, of both makers in turn: 1 to 10000
  --speed 60                 simulated seconds in a second: 1 to 100000
  --days 1                   how many days: 1 to 365
  --seed 1                   the same seed gives the same days
  --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             in a cloud that runs (and may call this machine) instead of one of its own
Prints what was sent and what arrived at a webhook. Ends with 0 when every fall was told, else with 1.`;

const options = {
  sensors: { type: 'string', default: '50' },
  speed: { type: 'string', default: '60' },
  days: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  url: { type: 'string' },
  username: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  'provisioning-key': { type: 'string' },
} as const;

const ranges = { sensors: [1, 10_000], speed: [1, 100_000], days: [1, 365], seed: [0, 4_294_967_295] } as const;
type Number_ = keyof typeof ranges;
const isWrong = (name: Number_, text: string): boolean => {
  const [least, most] = ranges[name];
  return !/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most;
};

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const wrong = (Object.keys(ranges) as Number_[]).find((name) => isWrong(name, values[name] ?? ''));
  if (wrong) return `--${wrong} is a whole number, ${ranges[wrong].join(' to ')}`;
  const isRunning = values.url !== undefined;
  return isRunning && !(values.password && values['provisioning-key'])
    ? 'a cloud that runs needs --password and --provisioning-key'
    : null;
});
const { url, username, password = 'a-password-for-the-simulation' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-simulation';

/** A cloud of its own that refuses nobody for calling often. */
const startOwn = () =>
  startCloud({
    port: 0,
    dataDir: ':memory:',
    settings: settingsFrom({ ALLOW_PRIVATE_TARGETS: 'true', RATE_LIMIT_PER_SECOND: '0' }),
    first: { adminUsername: username, adminPassword: password, provisioningKey },
  });

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const isTerminal = process.stdout.isTTY;
let shownAt = 0;
/** The line lives on a terminal; elsewhere there is a new one now and then. */
const show = (tally: Tally): void => {
  const now = Date.now();
  if (now - shownAt < (isTerminal ? 200 : 5_000)) return;
  shownAt = now;
  process.stdout.write(isTerminal ? `\r\u001b[K${tallyText(tally)}` : `${tallyText(tally)}\n`);
};

const cloud = url ? null : await startOwn();
const settled = async () => {
  if (!cloud) return pause(5_000);
  await cloud.idle();
  await cloud.idle();
};
const numbers = {
  sensors: Number(given.sensors),
  speed: Number(given.speed),
  days: Number(given.days),
  seed: Number(given.seed),
};
const access = { base: url ?? cloud?.url ?? '', username, password, provisioningKey };
const host = { now: systemClock.now, pause, paceMs: cloud ? 0 : 100, show, settled };
const { tally, plan, holds } = await simulate({ ...access, ...numbers }, host);
await cloud?.stop();
console.log(`${isTerminal ? '\r\u001b[K' : ''}${tallyText(tally)}`);
console.log(`${plan.falls} falls happened, ${tally.told.get('fall/fall_detected') ?? 0} were told`);
process.exit(holds ? 0 : 1);
