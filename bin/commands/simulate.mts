import { readCommandLine } from '../../lib/local/command-line.ts';
import type { Tally } from '../../lib/simulate/run.ts';
import type { Log } from '../../shared/observability/log.ts';

const help = `npm run simulate             simulates days in a care home, with sensors of both makers
  --sensors 50               number of sensors, of both makers in turn: 1 to 10000
  --speed 60                 simulated seconds per second: 1 to 100000; or full: as fast as a cloud of its own
                             works, whose clock is set ahead
  --days 1                   number of days: 1 to 365
  --report 540               seconds between the reports of a sensor without changes: 60 to 900
  --seed 1                   the same seed gives the same days
  --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             uses a running cloud (which can call this machine) instead of one of its own;
                             URL ends in /api/v1
  --mqtt                     the sensors send by MQTT; a running cloud needs --mqtt-url mqtts://HOST
Prints the messages that were sent, and the deliveries that arrived: of all events, and of alarms. At full speed every
event, hit and delivery is compared with a count made without the cloud; otherwise the falls are. Differences are
printed. Exit code: 0 when nothing differs, else 1.`;

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
  if (values.speed === 'full') return 'the clock of a running cloud cannot be set: --speed is a number there';
  return values.password && values['provisioning-key']
    ? null
    : 'a cloud that runs needs --password and --provisioning-key';
});
// All other modules are imported only here, so that `--help` answers at once.
const { skippingClock, systemClock } = await import('../../lib/local/clock.ts');
const { startCloud } = await import('../../lib/local/cloud.ts');
const { readRecords } = await import('../../lib/simulate/records.ts');
const { atFullSpeed, atSpeed } = await import('../../lib/simulate/simulation-clock.ts');
const { closeHooks, silence } = await import('../../lib/simulate/home.ts');
const { judgeAll, judgeFalls, simulate, tallyText } = await import('../../lib/simulate/run.ts');
const { nextMidnight } = await import('../../lib/simulate/local-time.ts');
const { settingsFrom } = await import('../../shared/runtime/env.ts');
const { log } = await import('../../shared/observability/log.ts');

const { url, username, password = 'a-password-for-the-simulation' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-simulation';

/** The clock starts shortly before a midnight, because the home is created before the first day begins. */
const clock = given.speed === 'full' ? skippingClock(nextMidnight(Date.now()) - 15 * 60_000) : null;

/**
 * A sensor that reports regularly must not count as inactive, even when it reports seldom, nor while the result is
 * read at the end.
 */
const SENSOR_INACTIVE_AFTER_SECONDS = String(Math.max(300, Number(given.report) + 180));
/** The information lines of the scheduled runs are left out. */
const quiet: Log = (level, ...entry) => (level === 'info' ? undefined : log(level, ...entry));
/** Starts a cloud for the simulation, without a rate limit. */
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
/** Updates the line of a terminal; when the output is no terminal, prints a new line every 5 s. */
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
    base: url ?? cloud?.url ?? '',
    username,
    password,
    provisioningKey,
    mqttUrl: given.mqtt ? (given['mqtt-url'] ?? cloud?.mqttUrl ?? null) : null,
    sensors: Number(given.sensors),
    days: Number(given.days),
    seed: Number(given.seed),
    reportSeconds: Number(given.report),
  },
  {
    startClock: () =>
      clock
        ? atFullSpeed(clock, idle, nextMidnight(clock.now()))
        : atSpeed({ now: systemClock.now, pause, settled, speed: Number(given.speed) }),
    // A running cloud may limit the rate of calls.
    pace: () => pause(cloud ? 0 : 150),
    show,
  },
);
const { complaints, verdict } = clock ? judgeAll(result, await readRecords(result.home)) : judgeFalls(result);
if (url) await closeHooks(result.home);
await silence(result.home);
await cloud?.stop();
console.log(`${isTerminal ? '\r\u001b[K' : ''}${tallyText(result.tally)}`);
for (const complaint of complaints) console.log(complaint);
console.log(complaints.length > 0 ? `${complaints.length} differences` : verdict);
process.exit(complaints.length > 0 ? 1 : 0);
