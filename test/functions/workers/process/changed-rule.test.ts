import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createAlarm } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

/** Processes crash before they write a decision's deliveries. */
let isDown = false;
const failpoint = (name: Failpoint): void => {
  if (isDown && name === 'process.hits_written') throw new Error('the process ends here');
};
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld({ log: () => {}, wrap: (runtime) => ({ ...runtime, failpoint }) });
});
afterAll(() => world.stop());

type Recipient = 'webhook' | 'anna' | 'ben' | 'duty';
/** Returns the recipients of a fall whose rule is changed before the deliveries are written. */
const notifiedOf = async (before: Recipient, after: Recipient): Promise<string[]> => {
  const { client, hire, rule, fall, hits, sent } = await world.furnish();
  const anna = await hire('Anna', { email: 'anna@example.com' });
  const ben = await hire('Ben', { email: 'ben@example.com' });
  const { bot, webhook } = await createAlarm(client, 'http://127.0.0.1:9/', 'occupied_room');
  const recipients = {
    webhook: { botId: bot.id, webhookId: webhook.id },
    anna: { userId: anna.id, by: 'email' },
    ben: { userId: ben.id, by: 'email' },
    duty: { onDuty: true, by: 'email' },
  };
  const { id } = await rule([recipients[before]]);
  isDown = true;
  await fall();
  expect(await hits()).toHaveLength(1);
  const texts = { name: 'falls', title: '{situation}', message: '{sensor}', situation: 'fall_detected' };
  await client.ok('PUT', `/rules/${id}`, { ...texts, recipients: [recipients[after]] });
  expect(await sent()).toEqual([]);
  isDown = false;
  await world.pass(60_000);
  return (await sent()).map(({ userName, webhookId }) => userName ?? (webhookId && 'a webhook') ?? '').toSorted();
};

test.each([
  ['webhook', 'anna', ['Anna']],
  ['anna', 'webhook', ['Anna', 'a webhook']],
  ['anna', 'ben', ['Anna', 'Ben']],
] as const)(
  "a crash does not lose an alert while a rule's recipient changes from %s to %s",
  async (before, after, notified) => {
    expect(await notifiedOf(before, after)).toEqual(notified);
  },
);

test('counts NobodyOnDuty if a changed rule notifies users on duty but there are none', async () => {
  expect(await notifiedOf('webhook', 'duty')).toEqual([]);
  expect(world.valuesOf('NobodyOnDuty')).toEqual([1]);
});
