import { readCommandLine } from '../lib/local/command-line.ts';
import type { Tally } from '../lib/local/simulate/run.ts';
import type { Log } from '../shared/log.ts';

const help = `npm run simulate             days in a care home: sensors of both makers, that speak as real ones do
  --sensors 50               how many sensors, of both makers in turn: 1 to 10000
  --speed 60                 simulated seconds in a second: 1 to 100000; or full: as fast as a cloud of its own
                             works, whose clock is set ahead
  --days 1                   how many days: 1 to 365
  --report 540               how often a sensor reports, changes or not, s: 60 to 900
  --seed 1                   the same seed gives the same days
  --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             in a cloud that runs (and may call this machine) instead of one of its own;
                             URL ends in /api/v1
  --mqtt                     the sensors speak over MQTT, in a cloud that runs: with --mqtt-url mqtts://HOST
Prints what was sent, and what arrived at webhooks: of everything, and of what rules found (alarms). At full speed every
event, hit and delivery is held against a count made apart from the cloud; otherwise the falls are. What differs is
named. Ends with 0 when nothing differs, else with 1.`;

const options = {
  sensors: { type: 'string', default: '50' },
  speed: { type: 'string', default: '60' },
  days: { type: 'string', default: '1' },
  report: { type: 'string', default: '540' },
  seed: { type: 'string', default: '1' },
  url: { type: 'string' },
  username: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  'provisioning-key': { type: 'string' },
  mqtt: { type: 'boolean', default: false },
  'mqtt-url': { type: 'string' },
} as const;

const ranges = {
  sensors: [1, 10_000],
  speed: [1, 100_000],
  days: [1, 365],
  report: [60, 900],
  seed: [0, 4_294_967_295],
} as const;
type Number_ = keyof typeof ranges;
const isWrong = (name: Number_, text: string): boolean => {
  const [least, most] = ranges[name];
  if (name === 'speed' && text === 'full') return false;
  return !/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most;
};

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const wrong = (Object.keys(ranges) as Number_[]).find((name) => isWrong(name, values[name] ?? ''));
  if (wrong)
    return `--${wrong} is a whole number, ${ranges[wrong].join(' to ')}${wrong === 'speed' ? ', or full' : ''}`;
  if (values.url === undefined) return null;
  if (values.mqtt && !values['mqtt-url']) return 'MQTT in a cloud that runs needs --mqtt-url';
  if (values.speed === 'full') return 'the clock of a cloud that runs cannot be set: --speed is a number there';
  return values.password && values['provisioning-key']
    ? null
    : 'a cloud that runs needs --password and --provisioning-key';
});
// Who only asks for help need not wait for a whole cloud to be loaded.
const { skippingClock, systemClock } = await import('../lib/local/clock.ts');
const { startCloud } = await import('../lib/local/cloud.ts');
const { readBooks } = await import('../lib/local/simulate/books.ts');
const { atFullSpeed, atSpeed } = await import('../lib/local/simulate/course.ts');
const { closeHooks, silence } = await import('../lib/local/simulate/home.ts');
const { judgeAll, judgeFalls, simulate, tallyText } = await import('../lib/local/simulate/run.ts');
const { nextMidnight } = await import('../lib/local/simulate/wall.ts');
const { settingsFrom } = await import('../shared/env.ts');
const { log } = await import('../shared/log.ts');

const { url, username, password = 'a-password-for-the-simulation' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-simulation';

/** Set to shortly before a midnight: the home is made before the first day begins. */
const clock = given.speed === 'full' ? skippingClock(nextMidnight(Date.now()) - 15 * 60_000) : null;

/** A sensor that reports is not silent, however seldom it does: nor while the books are read, at the end. */
const SENSOR_INACTIVE_AFTER_SECONDS = String(Math.max(300, Number(given.report) + 180));
/** That it looks at what waits is no news. */
const quiet: Log = (level, ...entry) => (level === 'info' ? undefined : log(level, ...entry));
/** A cloud of its own that refuses nobody for calling often. */
const startOwn = () =>
  startCloud({
    port: 0,
    dataDir: ':memory:',
    settings: settingsFrom({
      ALLOW_PRIVATE_TARGETS: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      SENSOR_INACTIVE_AFTER_SECONDS,
    }),
    first: { adminUsername: username, adminPassword: password, provisioningKey },
    log: quiet,
    ...(given.mqtt && { mqttPort: 0 }),
    ...(clock && { clock, sweepSeconds: 60 }),
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
const idle = async () => cloud?.idle();
const settled = async () => {
  if (!cloud) return pause(5_000);
  await idle();
  await idle();
};
const result = await simulate(
  {
    ...{ base: url ?? cloud?.url ?? '', username, password, provisioningKey },
    mqttUrl: given.mqtt ? (given['mqtt-url'] ?? cloud?.mqttUrl ?? null) : null,
    ...{ sensors: Number(given.sensors), days: Number(given.days), seed: Number(given.seed) },
    reportSeconds: Number(given.report),
  },
  {
    course: () =>
      clock
        ? atFullSpeed(clock, idle, nextMidnight(clock.now()))
        : atSpeed({ now: systemClock.now, pause, settled, speed: Number(given.speed) }),
    // A cloud that runs may limit calls.
    pace: () => pause(cloud ? 0 : 150),
    show,
  },
);
const { complaints, verdict } = clock ? judgeAll(result, await readBooks(result.home)) : judgeFalls(result);
if (url) await closeHooks(result.home);
await silence(result.home);
await cloud?.stop();
console.log(`${isTerminal ? '\r\u001b[K' : ''}${tallyText(result.tally)}`);
for (const complaint of complaints) console.log(complaint);
console.log(complaints.length > 0 ? `${complaints.length} differences` : verdict);
process.exit(complaints.length > 0 ? 1 : 0);
