import { expect, test } from 'vitest';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import { gapOfSensors, isAboutFalls } from '#shared/domain/watch/gap.ts';
import { isDutyEmpty, type Reach, recipientGaps, webhookGap } from '#shared/domain/watch/reach.ts';
import { isUpToDate, unseenTroubles } from '#shared/domain/watch/watch.ts';
import { toWebhook as recipientOf, uuid, webhook } from '#test/fixtures/watch-input.ts';

const reach = (more: Partial<Reach> = {}, ...webhooks: WebhookRecord[]): Reach => ({
  webhooks: new Map(webhooks.map((one) => [one.id, one])),
  channels: new Map([
    [1, ['sms']],
    [2, ['push']],
  ]),
  onDuty: [],
  sendable: ['sms', 'push'],
  unnotifiedAfter: 120,
  ...more,
});
const gaps = (of: Reach, ...recipients: Recipient[]) => recipientGaps(of, { id: 5, recipients });
const toWebhook = recipientOf(1);
const bySms: Recipient = { userId: 1, by: 'sms' };
const onDuty: Recipient = { onDuty: true, by: 'sms' };

test('a webhook is a gap if it is disabled, failing or in the Raw format', () => {
  const gap = (more: Partial<WebhookRecord>) => webhookGap(webhook(1, more), [5], reach())?.kind ?? null;
  expect([{}, { isEnabled: false }, { consecutiveFailures: 1 }, { format: 'raw' as const }].map(gap)).toEqual([
    null,
    'webhook_off',
    'webhook_failing',
    'raw_only',
  ]);
  expect(gap({ isEnabled: false, consecutiveFailures: 1, format: 'raw' })).toBe('webhook_off');
  expect(webhookGap(webhook(1, { isEnabled: false }), [5], reach())).toEqual({
    kind: 'webhook_off',
    webhookId: uuid(1),
    ruleIds: [5],
  });
});

test('a webhook that was deleted or belongs to another bot cannot be reached', () => {
  const missing = { kind: 'unreachable_recipient', ruleIds: [5], userId: null, by: null, webhookId: uuid(1) };
  expect(gaps(reach({}, webhook(2)), toWebhook)).toEqual([missing]);
  expect(gaps(reach({}, webhook(1, { botId: 8 })), toWebhook)).toEqual([missing]);
  expect(gaps(reach({}, webhook(1)), toWebhook)).toEqual([]);
  expect(gaps(reach({}, webhook(1, { consecutiveFailures: 1 })), toWebhook)).toMatchObject([
    { kind: 'webhook_failing' },
  ]);
});

test('a person can be reached through a verified channel if the host can send through it', () => {
  const unreachable = { kind: 'unreachable_recipient', ruleIds: [5], userId: 1, by: 'sms', webhookId: null };
  expect(gaps(reach(), bySms)).toEqual([]);
  expect(gaps(reach({ sendable: ['push'] }), bySms)).toEqual([unreachable]);
  expect(gaps(reach(), { userId: 1, by: 'push' })).toEqual([{ ...unreachable, by: 'push' }]);
  expect(gaps(reach(), { userId: 3, by: 'sms' })).toEqual([{ ...unreachable, userId: 3 }]);
});

test('people on duty can be reached if any of them has the required channel', () => {
  const nobody = { kind: 'nobody_on_duty', ruleIds: [5], by: 'sms' };
  expect(gaps(reach(), onDuty)).toEqual([nobody]);
  expect(gaps(reach({ onDuty: [2, 3] }), onDuty)).toEqual([nobody]);
  expect(gaps(reach({ onDuty: [2, 1] }), onDuty)).toEqual([]);
  expect(gaps(reach({ onDuty: [1], sendable: [] }), onDuty)).toMatchObject([
    { kind: 'unreachable_recipient', userId: null },
  ]);
});

test('a rule needs only one reachable recipient', () => {
  expect(gaps(reach(), toWebhook, bySms, onDuty)).toEqual([]);
  expect(gaps(reach({ sendable: ['push'] }), toWebhook, bySms).map(({ kind }) => kind)).toEqual([
    'unreachable_recipient',
    'unreachable_recipient',
  ]);
});

test('isDutyEmpty is true only if a rule notifies people on duty and none can be reached', () => {
  expect(isDutyEmpty(reach(), [bySms, onDuty])).toBe(true);
  expect(isDutyEmpty(reach({ onDuty: [1] }), [onDuty])).toBe(false);
  expect(isDutyEmpty(reach(), [bySms])).toBe(false);
  expect(isDutyEmpty(reach({ sendable: [] }), [onDuty])).toBe(false);
  expect(isDutyEmpty(reach({ onDuty: [1] }), [onDuty, { onDuty: true, by: 'push' }])).toBe(true);
});

test('only certain kinds of gaps affect fall alarms', () => {
  const all = [
    'no_sensors',
    'sensor_offline',
    'no_rule',
    'silent_mode',
    'fall_detection_off',
    'unknown_messages',
  ] as const;
  const more = [
    'hours_without_rule',
    'unreachable_recipient',
    'webhook_failing',
    'webhook_off',
    'raw_only',
    'nobody_on_duty',
  ] as const;
  const others = ['no_rule_for_silence', 'unnotified', 'loopback_target'] as const;
  const about = [...all, ...more, ...others].filter((kind) =>
    isAboutFalls({ kind } as Parameters<typeof isAboutFalls>[0]),
  );
  expect(about).toEqual([...all, ...more]);
  expect(gapOfSensors('no_rule', [])).toEqual([]);
  expect(gapOfSensors('no_rule', ['a', 'b'])).toEqual([{ kind: 'no_rule', sensorIds: ['a', 'b'], total: 2 }]);
});

test('a watch report stays fresh for one minute', () => {
  const at = (date: number) => isUpToDate({ date }, 1_000_000);
  expect([1_000_000, 940_001, 940_000, 1_010_000, 1_010_001].map(at)).toEqual([true, true, false, true, false]);
});

test('only unseen webhook problems are listed, newest first', () => {
  const troubled = (n: number, more: Partial<WebhookRecord>) => webhook(n, { troubleDate: n, ...more });
  const list = [
    troubled(1, { failedDeliveries: 3 }),
    troubled(2, { isEnabled: false, disabledReason: 'gone' }),
    troubled(3, {}),
    troubled(4, { isEnabled: false }),
    troubled(5, { disabledReason: 'gone' }),
    webhook(6, { failedDeliveries: 3 }),
    troubled(7, { isEnabled: false, disabledReason: 'gone', failedDeliveries: 1 }),
  ];
  const trouble = (n: number, isSwitchedOff: boolean, failedDeliveries: number) => ({
    webhookId: uuid(n),
    name: `hook ${n}`,
    isSwitchedOff,
    failedDeliveries,
    date: n,
  });
  expect(unseenTroubles(list)).toEqual([trouble(7, true, 1), trouble(2, true, 0), trouble(1, false, 3)]);
});
