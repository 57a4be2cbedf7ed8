import { describe, expect, test } from 'vitest';
import { Recipient } from '#shared/domain/rule/recipient.ts';
import {
  allRecipients,
  includesOnDuty,
  isNobodyOnDuty,
  peopleIn,
  recipientLists,
  usersIn,
  webhooksIn,
} from '#shared/domain/rule/recipients.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const webhook = (n: number) => ({ botId: n, webhookId: uuid(n) });
const user = (userId: number, by: 'sms' | 'push' | 'email' = 'sms') => ({ userId, by });
const onDuty = (by: 'sms' | 'push' = 'sms') => ({ onDuty: true as const, by });

describe('recipients', () => {
  test("a recipient is a bot webhook, a user's channel, or a channel of users on duty", () => {
    for (const recipient of [webhook(1), user(1), onDuty()]) expect(Recipient.parse(recipient)).toEqual(recipient);
  });
  test.each<object>([
    { ...webhook(1), ...user(1) },
    { ...webhook(1), by: 'sms' },
    { ...webhook(1), onDuty: true },
    { ...user(1), onDuty: true },
    { ...user(1), botId: 1 },
    { ...user(1), webhookId: uuid(1) },
    { ...onDuty(), botId: 1 },
    { ...onDuty(), webhookId: uuid(1) },
    { ...onDuty(), onDuty: false },
    { onDuty: true },
    { userId: 1 },
    { by: 'sms' },
    { botId: 1 },
    { webhookId: uuid(1) },
    { userId: 1, by: 'fax' },
    {},
  ])('a recipient cannot be %j', (recipient) => {
    expect(Recipient.safeParse(recipient).success).toBe(false);
  });
});

describe('round recipients', () => {
  test('webhooksIn returns each webhook only once', () => {
    expect(webhooksIn([webhook(1), user(1), webhook(2), webhook(1), onDuty()])).toEqual([webhook(1), webhook(2)]);
  });
  test("peopleIn returns each of a person's channels only once", () => {
    const duty = [
      { userId: 1, verified: ['sms' as const] },
      { userId: 2, verified: ['push' as const] },
      { userId: 3, verified: ['sms' as const, 'push' as const] },
    ];
    expect(peopleIn([webhook(9), user(1), user(1), user(1, 'push'), onDuty()], duty)).toEqual([
      user(1),
      user(1, 'push'),
      user(3),
    ]);
    expect(peopleIn([onDuty('push')], duty)).toEqual([user(2, 'push'), user(3, 'push')]);
    expect(peopleIn([webhook(9)], duty)).toEqual([]);
  });
  test('isNobodyOnDuty is true only if no one on duty has verified a requested channel', () => {
    const duty = [{ userId: 1, verified: ['sms' as const] }];
    expect(isNobodyOnDuty([user(1), onDuty()], [])).toBe(true);
    expect(isNobodyOnDuty([user(1, 'push'), onDuty('push')], duty)).toBe(true);
    expect(isNobodyOnDuty([onDuty('push'), onDuty('sms')], duty)).toBe(false);
    expect(isNobodyOnDuty([user(1)], [])).toBe(false);
    expect([includesOnDuty([user(1), onDuty()]), includesOnDuty([user(1), webhook(1)])]).toEqual([true, false]);
  });
  test('usersIn returns each named user only once', () => {
    expect(usersIn([user(2), user(1, 'push'), user(2, 'push'), onDuty(), webhook(5)])).toEqual([2, 1]);
  });
});

test("recipientLists returns the rule's first recipients, then those for each step", () => {
  const rule = {
    recipients: [webhook(1)],
    repeatSeconds: null,
    escalation: [
      { afterSeconds: 60, recipients: [user(2)] },
      { afterSeconds: 120, recipients: [onDuty(), user(3)] },
    ],
  };
  expect(recipientLists(rule).map(({ path }) => path)).toEqual([
    'recipients',
    'escalation.0.recipients',
    'escalation.1.recipients',
  ]);
  expect(allRecipients(rule)).toEqual([webhook(1), user(2), onDuty(), user(3)]);
});
