import { expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

// Each is notified 11 times, and a hit has room for 300 messages.
const PEOPLE = 30;

test('an escalation can notify more people than a hit can list', async () => {
  const world = await createPeopleWorld();
  const { customerId, rule, fall, hits, prove, onDuty } = await world.furnish();
  const who = { customerId, username: '', email: '', locale: 'en', canLogin: true, isAdmin: false, permissions: [] };
  // With long names, only a few people fit into an item.
  const names = { firstName: '看'.repeat(64), lastName: '護'.repeat(64) };
  for (let userId = 1_001; userId <= 1_000 + PEOPLE; userId++) {
    await world.table.write({ put: { ...items.user({ customerId, userId }), ...who, ...names, id: userId } });
    await prove(userId, 'email', `n${userId}@example.com`);
    await prove(userId, 'telegram', `${userId}`);
    await onDuty(userId);
  }
  const email = { onDuty: true, by: 'email' };
  const telegram = { onDuty: true, by: 'telegram' };
  const escalation = [60, 120, 180, 240, 300].map((afterSeconds) => ({ afterSeconds, recipients: [email, telegram] }));
  await rule([email], { escalation });
  await fall();
  for (let minute = 0; minute < 6; minute++) await world.pass(60_000);
  expect(world.sentMessages).toHaveLength(PEOPLE * (1 + 2 * escalation.length));
  expect((await hits())[0]?.ruleMessages).toHaveLength(300);
  await world.stop();
});
