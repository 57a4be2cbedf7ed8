import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deliver } from '#functions/workers/deliver/contract.ts';
import { notifyOperators } from '#functions/workers/deliver/notify-operators.ts';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { composeDeps, noAlarms, type Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { createAlarm } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RUNBOOK_URL = 'https://wiki.example.org/runbook';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
let runtime: Runtime;
const messages: { subject: string; text: string }[] = [];
const logged: string[] = [];
let failures = 0;
let onMessage = (): void => {};
beforeAll(async () => {
  world = await createPeopleWorld({
    wrap: (host) => {
      runtime = {
        ...host,
        log: (...line) => {
          logged.push(String(line[3]));
          host.log(...line);
        },
        settings: { ...host.settings, ALARM_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:alarms', RUNBOOK_URL },
        alarms: {
          ...noAlarms,
          notify: async (subject, text) => {
            if (failures-- > 0) throw new Error('the topic was not taken');
            messages.push({ subject, text });
            onMessage();
          },
        },
      };
      return runtime;
    },
  });
  receiver = await startReceiver((_, response) => void response.writeHead(503).end());
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});
beforeEach(() => {
  messages.length = 0;
  logged.length = 0;
  failures = 0;
  onMessage = () => {};
  world.answerWith(() => {});
});

/** A home whose only receiver is down. */
const furnish = async () => {
  const home = await world.furnish();
  await createAlarm(home.client, receiver.url);
  await home.hire('Nora', { email: `nora-${home.customerId}@example.com` }, { permissions: ['manage_rules'] });
  const acknowledgeAll = async (): Promise<void> => {
    for (const { id } of await home.hits())
      await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${id}/acknowledgement`, {});
  };
  return { ...home, acknowledgeAll };
};

test('reports unnotified alarms at most once an hour per customer', async () => {
  const [home, other] = [await furnish(), await furnish()];
  await home.fall();
  await world.pass(2.5 * MINUTE);
  await home.fall();
  await other.fall();
  await world.pass(2.5 * MINUTE);
  expect(messages.map(({ subject }) => subject)).toEqual([
    `Nobody was notified of alarms of customer ${home.customerId}`,
    `Nobody was notified of alarms of customer ${other.customerId}`,
  ]);
  const [{ subject, text } = { subject: '', text: '' }] = messages;
  expect(text).toContain('1 fall_detected. Call the customer now');
  expect(text).toContain(`${RUNBOOK_URL}#alarms-unnotified`);
  // Neither rooms nor people are named.
  for (const name of ['Sensor 1', 'Nora', 'linden', 'example.com,']) expect(subject + text).not.toContain(name);
  expect(subject).toMatch(/^[ -~]{1,99}$/);

  // Alarms above the limit are reported an hour later, and no alarm is reported twice.
  await world.pass(HOUR);
  await world.pass(HOUR);
  const ofHome = messages.filter((message) => message.subject === subject);
  expect(ofHome.map((message) => /: (.*?)\./.exec(message.text)?.[1])).toEqual(['1 fall_detected', '1 fall_detected']);
  for (const one of [home, other]) await one.acknowledgeAll();
});

test('reports an alarm only once, even if many workers try at the same time', async () => {
  failures = Number.POSITIVE_INFINITY;
  const home = await furnish();
  await home.fall();
  await world.pass(2.5 * MINUTE);
  expect(messages).toEqual([]);
  failures = 0;
  const open = await store(world.table).unnotified.list(home.customerId);
  const deps = await composeDeps(runtime, deliver.uses);
  await Promise.all(Array.from({ length: 8 }, () => notifyOperators(deps, home.customerId, open)));
  expect(messages).toHaveLength(1);
  await home.acknowledgeAll();
});

test('reports an alarm within a minute after a worker dies while reporting it', async () => {
  failures = Number.POSITIVE_INFINITY;
  const home = await furnish();
  await home.fall();
  await world.pass(2.5 * MINUTE);
  failures = 0;
  const open = await store(world.table).unnotified.list(home.customerId);
  const deps = await composeDeps(runtime, deliver.uses);
  const began = Promise.withResolvers<void>();
  const dead = () => {
    began.resolve();
    return new Promise<never>(() => {});
  };
  void notifyOperators({ ...deps, notifyOperators: dead }, home.customerId, open);
  await began.promise;
  await notifyOperators(deps, home.customerId, open);
  expect(messages).toEqual([]);
  // A dead worker's task is repeated after 30 seconds.
  await notifyOperators({ ...deps, now: () => deps.now() + 30_000 }, home.customerId, open);
  expect(messages).toHaveLength(1);
  await home.acknowledgeAll();
});

test('reports an alarm to operators even if the mail service hangs', async () => {
  const reported = Promise.withResolvers<void>();
  onMessage = reported.resolve;
  world.answerWith(() => reported.promise);
  const home = await furnish();
  await home.fall();
  await world.pass(2.5 * MINUTE);
  expect(messages).toHaveLength(1);
  await home.acknowledgeAll();
});

test('logs both errors if managers and operators cannot be notified', async () => {
  failures = 1;
  world.answerWith(() => Promise.reject(new Error('the mail was not taken')));
  const home = await furnish();
  await home.fall();
  await world.pass(2.5 * MINUTE);
  expect(logged).toContain('Error: the topic was not taken');
  expect(logged).toContain('Error: the mail was not taken');
  world.answerWith(() => {});
  await home.acknowledgeAll();
});

test('reports an alarm again if the topic rejected the message', async () => {
  failures = 2;
  const home = await furnish();
  await home.fall();
  await world.pass(2.5 * MINUTE);
  await world.pass(2 * MINUTE);
  expect(messages).toHaveLength(1);
  await home.acknowledgeAll();
});
