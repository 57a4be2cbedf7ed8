import { readCommandLine } from '../../lib/local/command-line.ts';
import type { Tally } from '../../lib/simulate/run.ts';
import type { Log } from '../../shared/observability/log.ts';

const help = `npm run simulate             simulates days in a care home with sensors from both makers
  --sensors 50               number of sensors, alternating between the makers: 1 to 10000
  --speed 60                 simulated seconds per second, 1 to 100000, or full: as fast as a separate local host
                             can work, with a simulated clock
  --days 1                   number of days: 1 to 365
  --report 540               seconds between a sensor's reports without changes: 60 to 900
  --seed 1                   the same seed produces the same days
  --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             uses a running service, which must be able to call this machine; URL ends in /api/v1
  --mqtt                     sends over MQTT; a running service also needs --mqtt-url mqtts://HOST
Prints how many messages were sent and deliveries received, in total and for alarms. At full speed every event, hit and
delivery is compared with an independent count, otherwise only falls are. Prints differences.
Exit code: 0 without differences, otherwise 1.`;

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
type NumberOption = keyof typeof ranges;
const isInvalid = (name: NumberOption, text: string): boolean => {
  const [min, max] = ranges[name];
  if (name === 'speed' && text === 'full') return false;
  return !/^\d{1,10}$/.test(text) || Number(text) < min || Number(text) > max;
};

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const invalid = (Object.keys(ranges) as NumberOption[]).find((name) => isInvalid(name, values[name] ?? ''));
  if (invalid)
    return `--${invalid} must be a whole number from ${ranges[invalid].join(' to ')}${invalid === 'speed' ? ', or full' : ''}`;
  if (values.url === undefined) return null;
  if (values.mqtt && !values['mqtt-url']) return '--mqtt with --url requires --mqtt-url';
  if (values.speed === 'full') return '--speed full is not possible with --url, because it needs a simulated clock';
  return values.password && values['provisioning-key'] ? null : '--url requires --password and --provisioning-key';
});
// Imported here so `--help` does not load them.
const { skippingClock, systemClock } = await import('../../lib/local/clock.ts');
const { startCloud } = await import('../../lib/local/cloud.ts');
const { readRecords } = await import('../../lib/simulate/records.ts');
const { atFullSpeed, atSpeed } = await import('../../lib/simulate/simulation-clock.ts');
const { deleteWebhooks, disconnectSensors } = await import('../../lib/simulate/home.ts');
const { checkRecords, checkFalls, simulate, tallyText } = await import('../../lib/simulate/run.ts');
const { nextMidnight } = await import('../../lib/simulate/local-time.ts');
const { settingsFrom } = await import('../../shared/runtime/env.ts');
const { log } = await import('../../shared/observability/log.ts');

const { url, username, password = 'a-password-for-the-simulation' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-simulation';

/** Starts shortly before midnight, because the home is created before the first day begins. */
const clock = given.speed === 'full' ? skippingClock(nextMidnight(Date.now()) - 15 * 60_000) : null;

/** Long enough that no sensor becomes inactive between two reports, or while the results are read at the end. */
const SENSOR_INACTIVE_AFTER_SECONDS = String(Math.max(300, Number(given.report) + 180));

/** Logs everything except info lines. */
const quiet: Log = (level, ...entry) => (level === 'info' ? undefined : log(level, ...entry));

/** Starts a host for the simulation, without a rate limit. */
const startHost = () =>
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

/** Updates a single line in a terminal. Elsewhere, prints a new line every 5 s. */
const show = (tally: Tally): void => {
  const now = Date.now();
  if (now - shownAt < (isTerminal ? 200 : 5_000)) return;
  shownAt = now;
  process.stdout.write(isTerminal ? `\r\u001b[K${tallyText(tally)}` : `${tallyText(tally)}\n`);
};

const cloud = url ? null : await startHost();
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
    // A running service may limit the request rate.
    pace: () => pause(cloud ? 0 : 150),
    show,
  },
);
const { complaints, verdict } = clock ? checkRecords(result, await readRecords(result.home)) : checkFalls(result);
if (url) await deleteWebhooks(result.home);
await disconnectSensors(result.home);
await cloud?.stop();
console.log(`${isTerminal ? '\r\u001b[K' : ''}${tallyText(result.tally)}`);
for (const complaint of complaints) console.log(complaint);
console.log(complaints.length > 0 ? `${complaints.length} differences` : verdict);
process.exit(complaints.length > 0 ? 1 : 0);
