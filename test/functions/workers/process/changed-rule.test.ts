import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createAlarm } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

/** Processes die where deliveries of a decision are to be written. */
let isDown = false;
const failpoint = (name: Failpoint): void => {
  if (isDown && name === 'process.hits_written') throw new Error('the process ends here');
};
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld({ log: () => {}, wrap: (runtime) => ({ ...runtime, failpoint }) });
});
afterAll(() => world.stop());

type Who = 'webhook' | 'anna' | 'ben' | 'duty';
/** Who has a delivery of a fall whose rule names others before its deliveries are written. */
const toldOf = async (before: Who, after: Who): Promise<string[]> => {
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
  'a fall is told though its process died and its rule, which named %s, names %s by now',
  async (before, after, told) => {
    expect(await toldOf(before, after)).toEqual(told);
  },
);

test('a fall that nobody is told of, for its rule names whoever is on duty by now and nobody is, is measured', async () => {
  expect(await toldOf('webhook', 'duty')).toEqual([]);
  expect(world.valuesOf('NobodyOnDuty')).toEqual([1]);
});
