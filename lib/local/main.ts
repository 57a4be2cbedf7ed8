import { pushContact } from '#shared/delivery/targets/push-contact.ts';
import { type Log, log } from '#shared/observability/log.ts';
import { systemClock } from './clock.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { startDemo } from './demo/demo.ts';
import { keepAliveOnExceptions } from './lambda/exceptions.ts';
import { optionsFrom } from './options.ts';

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

/** Logs only warnings and errors to the console; `npm run trace` shows the path of an event. */
const problemLog: Log = (level, ...line) => {
  if (level !== 'info') log(level, ...line);
};

/** How long (ms) `ready` waits for the demo home, which takes longer to create under a low rate limit. */
const DEMO_WAIT_MS = 5_000;

const resolvesWithin = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => void systemClock.after(ms, () => resolve(false))),
  ]);

/**
 * Runs the cloud of `npm start` with the options from the environment, until a signal ends it. Prints `ready URL` once
 * it accepts requests.
 */
export const runCloud = async (env: Variables, say: (line: string) => void): Promise<void> => {
  const { withDemo, warnings, ...options } = optionsFrom(env);
  for (const warning of warnings) say(`warning: ${warning}`);
  const exceptions = keepAliveOnExceptions(problemLog);
  const cloud = await startCloud({ ...options, say, log: problemLog, exceptions: exceptions.count });
  for (const [label, secret] of Object.entries(cloud.generated)) say(`${label}: ${secret}`);
  if (cloud.mqttUrl) say(`mqtt ${cloud.mqttUrl}`);
  const demo = withDemo ? startDemo(cloud, say) : null;
  stopOnSignal(cloud, demo);
  if (pushContact(cloud.runtime.settings) === null)
    say('push: not offered, because push services need a public contact (set PUSH_CONTACT)');
  if (demo && !(await resolvesWithin(demo.ready, DEMO_WAIT_MS))) say('demo: the demo home is still being created');
  say(`console: ${cloud.url}/console`);
  say(`ready ${cloud.url}`);
};
