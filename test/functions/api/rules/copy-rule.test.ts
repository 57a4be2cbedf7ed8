import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());

const schedule = { days: [6, 7], from: '21:00', to: '06:00', timeZone: 'Europe/Berlin' };
const perRule = ['id', 'name', 'createDate', 'updateDate'];

test('copyRule copies everything in a rule, but sets a new name, id and dates', async () => {
  const { hire, rule, client, sensorId, fall, hits } = await world.furnish();
  const { id: userId } = await hire('Anna', { email: 'anna@example.com', sms: '+491701234567' });
  const escalation = [{ afterSeconds: 60, recipients: [{ userId, by: 'sms' }] }];
  const more = { sensorId, escalation, repeatSeconds: 600, untilAcknowledged: false, rateLimitSeconds: 0 };
  const { id } = await rule([{ userId, by: 'email' }], { ...more, includeSimulated: true });
  const original = await client.ok<Rule>('GET', `/rules/${id}`);

  const { status, body } = await client.call('POST', `/rules/${id}/copies`, { name: 'Falls by day', sensorId: null });
  const copy = body as Rule;
  expect(status).toBe(201);
  expect(copy).toMatchObject({ ...more, includeSimulated: true, name: 'Falls by day' });
  const differing = Object.entries(copy).filter(([key, value]) => {
    const before = original[key as keyof Rule];
    return JSON.stringify(value) !== JSON.stringify(before);
  });
  expect(perRule).toEqual(expect.arrayContaining(differing.map(([key]) => key)));
  expect(copy.id).not.toBe(id);
  expect(await client.ok('GET', `/rules/${copy.id}`)).toEqual(copy);
  expect(await client.ok('GET', `/rules/${id}`)).toEqual(original);

  await fall();
  expect((await hits()).map(({ ruleId }) => ruleId).sort()).toEqual([id, copy.id].sort());
});

test('copyRule copies a disabled rule as disabled, with the same schedule', async () => {
  const { rule, client } = await world.furnish();
  const { id } = await rule([{ onDuty: true, by: 'sms' }], { isEnabled: false, schedule });
  expect(await client.ok('POST', `/rules/${id}/copies`, { name: 'n' })).toMatchObject({ isEnabled: false, schedule });
});

test('copyRule returns 400 for a recipient who can no longer be notified', async () => {
  const { hire, rule, client, admin } = await world.furnish();
  const anna = await hire('Anna', { email: 'anna@example.com' });
  const { id } = await rule([
    { onDuty: true, by: 'sms' },
    { userId: anna.id, by: 'email' },
  ]);
  await admin.ok('DELETE', `/users/${anna.id}`);
  expect(rejectedPaths(await client.call('POST', `/rules/${id}/copies`, { name: 'n' }))).toEqual([
    400,
    'recipients.1.userId',
  ]);
  const [page] = await client.ok<{ total: number }[]>('GET', '/rules');
  expect(page?.total).toBe(1);
});

test('copyRule returns 409 once the customer has reached the rule quota', async () => {
  const { rule, client } = await world.furnish();
  const { id } = await rule([{ onDuty: true, by: 'sms' }]);
  const copy = async () => (await client.call('POST', `/rules/${id}/copies`, { name: 'n' })).status;
  // At most 50 rules with the same scope and situation may be enabled.
  const statuses: number[] = [];
  for (let at = 0; at < 50; at++) statuses.push(await copy());
  expect(statuses).toEqual([...Array.from({ length: 49 }, () => 201), 409]);
});
