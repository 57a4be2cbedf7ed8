import { pushContact } from '#shared/delivery/targets/push-contact.ts';
import { type Log, log } from '#shared/observability/log.ts';
import { systemClock } from './clock.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { startDemo } from './demo/demo.ts';
import { surviveExceptions } from './lambda/exceptions.ts';
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

/** Logs only warnings and errors to the console; `npm run trace` shows the course of an event. */
const trouble: Log = (level, ...line) => {
  if (level !== 'info') log(level, ...line);
};

/** For how long (ms) `ready` waits for the demo home, which takes longer when few calls per second are allowed. */
const DEMO_MS = 5_000;

const isThereWithin = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => void systemClock.after(ms, () => resolve(false))),
  ]);

/**
 * Runs the cloud of `npm start` with the options of the environment, until a signal ends it. Prints `ready URL` when
 * it accepts calls.
 */
export const runCloud = async (env: Variables, say: (line: string) => void): Promise<void> => {
  const { withDemo, warnings, ...options } = optionsFrom(env);
  for (const warning of warnings) say(`warning: ${warning}`);
  const exceptions = surviveExceptions(trouble);
  const cloud = await startCloud({ ...options, say, log: trouble, exceptions: exceptions.count });
  for (const [what, value] of Object.entries(cloud.generated)) say(`${what}: ${value}`);
  if (cloud.mqttUrl) say(`mqtt ${cloud.mqttUrl}`);
  const demo = withDemo ? startDemo(cloud, say) : null;
  stopOnSignal(cloud, demo);
  if (pushContact(cloud.runtime.settings) === null)
    say('push: not offered, because push services need a public contact (set PUSH_CONTACT)');
  if (demo && !(await isThereWithin(demo.ready, DEMO_MS))) say('demo: the demo home is still being made');
  say(`console: ${cloud.url}/console`);
  say(`ready ${cloud.url}`);
};
