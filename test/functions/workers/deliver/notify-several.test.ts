import { expect, test } from 'vitest';
import { notifyPerson } from '#functions/workers/deliver/person.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { customerId, deliveryStubs, deliveryTo, snapshotOf } from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const email = { by: 'email', address: 'anna@example.org' };
const offline = (name: string) => {
  const { sensor, ...others } = snapshotOf('sensor_inactive');
  const snapshot = { ...others, sensor: { ...sensor, id: `sensor ${name}`, name: `Room ${name}` } };
  return deliveryTo('email', { id: derivedUlid(NOW - 5_000, name), snapshot });
};

/** Notifies a person about two offline sensors. */
const notify = async (outcome: unknown, channels: object[] = [email]) => {
  const [first, other] = [offline('1'), offline('2')];
  const known = { [first.id]: first, [other.id]: other };
  const claim = async ({ id }: { id: string }) => known[id] ?? null;
  const recorded: unknown[][] = [];
  const stubs = deliveryStubs({
    outcome,
    channels,
    more: {
      attempts: { claim, recordResult: async (...args: unknown[]) => void recorded.push(args) },
      deliveries: {
        getQueued: async () => ({ delivery: { ...first, state: 'pending', nextAttempt: NOW }, until: null }),
        dueToPeople: async () => [{ delivery: other, isIndexed: false }],
      },
    },
  });
  const key = { customerId, webhookId: null, id: first.id };
  const task = { type: 'deliver', by: 'email', isGathered: true } as never;
  const state = await notifyPerson(stubs.deps, key, task);
  const states = recorded.map(([delivery, end]) => [
    (delivery as { id: string }).id === first.id ? 'first' : 'other',
    (end as { next: { state: string } }).next.state,
  ]);
  return { ...stubs, state, states, first, other };
};

test('a message about several sensors is sent only once', async () => {
  const { state, states, named } = await notify('accepted');
  expect(state).toBe('delivered');
  expect(named('person')).toHaveLength(1);
  expect(named('person')[0]?.[1]).toMatchObject({ title: expect.stringContaining('2') });
  expect(states).toEqual([
    ['other', 'delivered'],
    ['first', 'delivered'],
  ]);
});

test("only the first delivery's task retries a failed message about several sensors", async () => {
  const { state, states, enqueued, first } = await notify({ retry: 'Busy' });
  expect(state).toBe('retrying');
  expect(states).toEqual([
    ['other', 'retrying'],
    ['first', 'retrying'],
  ]);
  expect(enqueued).toMatchObject([[[{ type: 'deliver', deliveryId: first.id, isRetry: true }], 8]]);
  expect(enqueued).toHaveLength(1);
});

test('all deliveries in a message about several sensors fail if the person is unreachable', async () => {
  const { states, named } = await notify('accepted', []);
  expect(named('person')).toEqual([]);
  expect(states).toEqual([
    ['other', 'failed'],
    ['first', 'failed'],
  ]);
});
