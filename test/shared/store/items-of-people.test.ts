import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { items } from '#shared/store/table.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());

test('webhook-only rules, hits and deliveries do not store attributes for people', async () => {
  const { client, customerId, rule, fall, hits } = await world.furnish();
  const receiver = await startReceiver();
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'n', url: receiver.url, format: 'full', isCustomerHook: false, botId: bot.id };
  const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
  const { id: ruleId } = await rule([{ botId: bot.id, webhookId }]);
  await fall();
  const [hit] = await hits();
  const pk = items.delivery.pk({ customerId, webhookId });
  const [delivery] = (await world.table.query({ pk, beginsWith: 'DELIVERY#' })).items;
  const stored = [
    await world.table.get<Record<string, unknown>>(items.ruleById({ customerId, ruleId })),
    await world.table.get<Record<string, unknown>>(items.ruleHit({ customerId, hitId: hit?.id ?? 0 })),
    delivery,
  ];
  expect(stored.map((item) => item !== null && item !== undefined)).toEqual([true, true, true]);
  expect(JSON.stringify(stored)).not.toMatch(/people|person|nobodyOnDuty|"by"|userId/);
  await receiver.stop();
});
