import { describe, expect, test } from 'vitest';
import {
  type IngestDeps,
  ingestPublished,
  messageCount,
  rejectPublished,
} from '#functions/workers/ingest/published.ts';
import type { Sender } from '#shared/ingest/messages.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const device = { sensorId: 's1', customerId: 7, manufacturer: 'maker_a', hash: 'h' } as Sender;
const uuid = '8d3a5c0e-7a3f-4f4e-9f59-0d7a1b2c3d4e';
const fall = fallMessage('calling', NOW - 1_000);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Handles a publication. Returns the reports to the device, the tasks, and the log lines. */
const publish = async (payload: string) => {
  const reports: unknown[][] = [];
  const refuseMessage = async (...report: unknown[]) => void reports.push(report);
  const noteCall = async () => ({ last: 'call', since: NOW, seq: 1 });
  const stubs = stubDeps<IngestDeps>({ devices: { noteCall } }, { refuseMessage });
  const published = { sensorId: 's1', receiveDate: NOW - 500, payload };
  await ingestPublished(stubs.deps, device, published);
  return { ...stubs, published, reports };
};

describe('a publication', () => {
  test('an understood message is queued as it was received, without a report', async () => {
    const { enqueued, reports, logged } = await publish(base64(JSON.stringify(fall)));
    expect(enqueued).toMatchObject([
      [[{ sensorId: 's1', receiveDate: NOW - 500, messages: [JSON.stringify(fall)] }], 0],
    ]);
    expect([reports, logged]).toEqual([[], []]);
  });

  test.each([
    ['not JSON', base64('{'), 'json'],
    ['not UTF-8', Buffer.from('{"type":"\xff"}', 'latin1').toString('base64'), 'json'],
    ['preceded by a byte order mark', base64('\ufeff{}'), 'json'],
    ['not an object', base64('5'), 'type'],
  ])('a payload that is %s is rejected, and the device learns why', async (_, payload, reason) => {
    const { enqueued, reports, logged } = await publish(payload);
    expect([enqueued, reports]).toEqual([[], [['s1', { reason }]]]);
    expect(logged).toEqual([['info', 'a message was rejected', { sensorId: 's1', reason }]]);
  });

  test('the device learns which of its messages was not understood', async () => {
    const { enqueued, reports } = await publish(base64(JSON.stringify({ ...fall, type: 99, uuid })));
    expect(enqueued).toHaveLength(1);
    const warnings = [{ index: 0, message: expect.stringContaining('unknown kind') }];
    expect(reports).toEqual([['s1', { reason: 'not_understood', uuid, warnings }]]);
    const unnamed = await publish(base64(JSON.stringify({ type: 99 })));
    expect(unnamed.reports).toEqual([['s1', { reason: 'not_understood', warnings }]]);
  });
});

describe('a rejection', () => {
  const reject = async (text: string) => {
    const { deps, published, reports } = await publish(base64('{}'));
    reports.length = 0;
    await rejectPublished(deps, { ...published, payload: base64(text) }, 'credentials_invalid');
    return reports;
  };

  test('a rejection names the message if the device gave it a UUID', async () => {
    const reason = 'credentials_invalid';
    expect(await reject(JSON.stringify({ uuid }))).toEqual([['s1', { reason, uuid }]]);
    expect(await reject(JSON.stringify({ payload: { uuid } }))).toEqual([['s1', { reason, uuid }]]);
    for (const text of ['{}', 'null', '{', JSON.stringify([{ uuid }])])
      expect([text, await reject(text)]).toEqual([text, [['s1', { reason }]]]);
  });
});

test('quotas count each message of a publication', () => {
  const count = (text: string) => messageCount({ sensorId: 's1', payload: base64(text) });
  expect(['{}', '[{},{},{}]', '[]'].map(count)).toEqual([1, 3, 1]);
});
