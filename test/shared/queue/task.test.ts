import { expect, test } from 'vitest';
import { deliverTask, encodeTask } from '#shared/queue/encode.ts';
import { SensorTask, WebhookTask } from '#shared/queue/task.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const key = { customerId: 1, webhookId: '00000000-0000-4000-8000-000000000000', id: '0'.repeat(26) };
const notice = {
  type: 'process_notice' as const,
  customerId: 1,
  sensorId: 's',
  uuid: key.webhookId,
};
const read = (body: object) => WebhookTask.parse(JSON.parse(JSON.stringify(body)));

test('a task without a request id, such as one from the sweep, can be read', () => {
  const task = deliverTask(key);
  expect(read({ version: 1, ...task })).toEqual(task);
});

test.each([
  ['REST', '5b0f3e9c-9d0e-4d1c-a3a1-3f8f0c7c2d11'],
  ['HTTP', 'JKJaXmPLvHcESHA='],
])("a task keeps a %s API's request id", (_, requestId) => {
  expect(read(JSON.parse(encodeTask(deliverTask({ ...key, requestId })).body))).toMatchObject({ requestId });
});

test.each([['x'.repeat(129)], ['two words'], ['a\nb'], [7], ['']])(
  'a task with the invalid request id %j is read without it',
  (requestId) => {
    expect(read({ ...deliverTask(key), requestId })).toEqual({ ...deliverTask(key), requestId: undefined });
  },
);

test('equal tasks get the same deduplication id, regardless of the request that caused them', () => {
  const [first, other] = ['a', 'b'].map((requestId) => encodeTask(SensorTask.parse({ ...notice, requestId })));
  expect(first?.body).not.toBe(other?.body);
  expect(first?.deduplicationId).toBe(other?.deduplicationId);
});

test('an alarm about a person has a separate message group, kept in the task body', () => {
  const task = deliverTask(key);
  const alarm = encodeTask({ ...task, isAlarm: true });
  const other = encodeTask(task);
  expect(alarm.groupId).toBe(`${other.groupId}/alarms`);
  expect([read(JSON.parse(alarm.body)), read(JSON.parse(other.body))]).toMatchObject([{ isAlarm: true }, {}]);
  expect(read(JSON.parse(other.body))).not.toHaveProperty('isAlarm');
});

test('only new alarms about people are marked, not retries, tests or redeliveries', () => {
  const alarm = { ...key, attempts: 0, snapshot: bareSnapshot };
  expect(deliverTask(alarm)).toMatchObject({ isAlarm: true });
  const other = { ...bareSnapshot, event: { ...bareSnapshot.event, action: 'standing_up' } };
  const others = [
    { attempts: 1 },
    { isTest: true as const },
    { replayOf: 'a' },
    { replay: 'r' },
    { body: '{}' },
    { snapshot: other },
  ];
  for (const fields of others) expect(deliverTask({ ...alarm, ...fields })).not.toHaveProperty('isAlarm');
});
