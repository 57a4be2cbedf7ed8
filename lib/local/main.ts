import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { type Log, log } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { systemClock } from './clock.ts';
import { type Cloud, LOOPBACK, startCloud } from './cloud.ts';
import type { CloudOptions } from './cloud-options.ts';
import { startDemo } from './demo/demo.ts';
import { lostLine } from './full-disk.ts';
import { keepAliveOnExceptions } from './lambda/exceptions.ts';
import { optionsFrom } from './options.ts';
import { channelLines, linkLines, loopbackLines } from './start-lines.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const stopOnSignal = (cloud: Cloud, demo: { stop: () => void } | null): void => {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    demo?.stop();
    cloud.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** Logs only warnings and errors to the console. `npm run trace` shows an event's path. */
const problemLog: Log = (level, ...line) => {
  if (level !== 'info') log(level, ...line);
};

/**
 * Ends the process, because memory contains changes that are missing from the file. Senders resend requests that got no
 * response.
 */
const endProcess = (error: Error): void => {
  log('error', lostLine(error), {}, error);
  process.exit(1);
};

/** How long (ms) `ready` waits for the demo home, which takes longer to create under a low rate limit. */
const DEMO_WAIT_MS = 5_000;

const resolvesWithin = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => void systemClock.after(ms, () => resolve(false))),
  ]);

/** Returns all customers' webhooks. Empty on a host reachable only from this machine. */
const webhooksOnNetwork = async ({ settings, table }: Runtime): Promise<WebhookRecord[]> => {
  if (!settings.ON_NETWORK) return [];
  const { customers, webhooks } = store(table);
  const found: WebhookRecord[] = [];
  for (const { id } of await customers.list()) found.push(...(await webhooks.list(id)));
  return found;
};

/** Returns lines about this host's messages, the links in them, where its webhooks point, and Home Assistant. */
const linesAbout = async (
  { runtime, homeAssistant }: Cloud,
  { dataDir, host, settings }: CloudOptions,
): Promise<string[]> => {
  const { PUBLIC_URL: url, ...current } = runtime.settings;
  return [
    ...loopbackLines(await webhooksOnNetwork(runtime), runtime.settings),
    ...channelLines(current, dataDir),
    ...linkLines({ ...current, url, configuredUrl: settings.PUBLIC_URL, host: host ?? LOOPBACK }),
    ...(homeAssistant === null ? [] : [homeAssistant]),
  ];
};

/**
 * Runs the cloud for `npm start` with the options from the environment, until a signal ends it. Prints `ready URL` once
 * it accepts requests.
 */
export const runCloud = async (env: Variables, say: (line: string) => void): Promise<void> => {
  const { withDemo, warnings, ...options } = optionsFrom(env);
  for (const warning of warnings) say(`warning: ${warning}`);
  const exceptions = keepAliveOnExceptions(problemLog);
  const cloud = await startCloud({
    ...options,
    say,
    log: problemLog,
    exceptions: exceptions.count,
    onLost: endProcess,
  });
  for (const [label, secret] of Object.entries(cloud.generated)) say(`${label}: ${secret}`);
  for (const line of await linesAbout(cloud, options)) say(line);
  if (cloud.mqttUrl) say(`mqtt ${cloud.mqttUrl}`);
  const demo = withDemo ? startDemo(cloud, say) : null;
  stopOnSignal(cloud, demo);
  if (demo && !(await resolvesWithin(demo.ready, DEMO_WAIT_MS))) say('demo: the demo home is still being created');
  say(`console: ${cloud.url}/console`);
  say(`ready ${cloud.url}`);
};
