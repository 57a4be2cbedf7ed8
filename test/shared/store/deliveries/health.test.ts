import { describe, expect, test } from 'vitest';
import { LEASE_MS, type LeaseName } from '#shared/domain/delivery/breaker.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { createHealth, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { now } from '#test/fixtures/store-items.ts';

/** Host clocks differ by up to 10 s. */
const SKEW = 10_000;
const failure = { openUntil: null, isGone: false, isLost: false, since: now - 60_000, begun: null };
const success = { now, slowUntil: null, leases: [] };
const leases = ['slot0', 'probeUntil'] as const;
const leased = {
  slot0: now + LEASE_MS,
  slot0Token: 'mine',
  probeUntil: now + LEASE_MS,
  probeUntilToken: 'mine',
};
/** The results of calls that changed nothing, or return nothing. */
const nothing = [null, false, undefined];
/** A webhook that has been failing for a while. */
const failing = {
  consecutiveFailures: 12,
  failingSince: now - 600_000,
  lastFailure: now - 1_000,
  pendingSince: now - 700_000,
  goneSince: now - 500_000,
  openUntil: now + 30_000,
  warnedAt: now - 300_000,
  failedDeliveries: 2,
  troubleDate: now - 400_000,
};
/** The attributes ended by a success. */
const ended = {
  failingSince: undefined,
  goneSince: undefined,
  openUntil: undefined,
  probeUntil: undefined,
  probeUntilToken: undefined,
};

describe('failures', () => {
  test('failures in a row are counted, and the dates of the first one and its delivery are kept', async () => {
    const { health, hook } = await createHealth();
    await health.failed(await hook(), now, { ...failure, openUntil: now + 5_000 }, []);
    const after = await health.failed(await hook(), now + 1, { ...failure, since: now }, []);
    expect(after).toMatchObject({
      consecutiveFailures: 2,
      failingSince: now,
      lastFailure: now + 1,
      pendingSince: failure.since,
      openUntil: now + 5_000,
    });
    expect(await hook()).toEqual(after);
    for (const name of ['goneSince', 'failedDeliveries', 'troubleDate']) expect(after).not.toHaveProperty(name);
  });

  test('only lost events count as failed deliveries, with the date of the latest', async () => {
    const { health, hook } = await createHealth();
    for (const [at, isLost] of [true, true, false].entries())
      await health.failed(await hook(), now + at, { ...failure, isLost }, []);
    expect(await hook()).toMatchObject({ consecutiveFailures: 3, failedDeliveries: 2, troubleDate: now + 1 });
  });

  test('a receiver counts as gone from the first 410 response until any other failure', async () => {
    const { health, hook } = await createHealth();
    for (const [at, isGone] of [false, true, true].entries())
      await health.failed(await hook(), now + at, { ...failure, isGone }, []);
    expect(await hook()).toMatchObject({ failingSince: now, goneSince: now + 1 });
    expect(await health.failed(await hook(), now + 3, failure, [])).not.toHaveProperty('goneSince');
  });

  test('a receiver no longer counts as gone after a failure of an attempt that began before the first 410', async () => {
    const { health, hook } = await createHealth();
    const atStart = await hook();
    await health.failed(atStart, now, { ...failure, isGone: true }, []);
    await health.failed(atStart, now + 1, failure, []);
    expect(await hook()).not.toHaveProperty('goneSince');
  });

  test.each([
    ['just as the attempt began', now - 9, now - 9, false],
    ['during the attempt', now - 5, now - 9, false],
    ['on a host whose clock is ahead', now + SKEW, now - 9, false],
    ['before the attempt', now - 10, now - 9, true],
    ['at a date from before the clock was set back', now + SKEW + 1, now - 9, true],
    ['during the attempt, which was the last one', now - 5, null, true],
  ])('a failure counts depending on when the receiver recovered: %s', async (_, backDate, begun, isCounted) => {
    const { health, hook } = await createHealth({ backDate, slot0: now, slot0Token: 'mine' });
    const after = await health.failed(await hook(), now, { ...failure, begun }, ['slot0']);
    expect([after !== null, (await hook()).consecutiveFailures]).toEqual([isCounted, isCounted ? 1 : 0]);
    expect(await hook()).not.toHaveProperty('slot0');
  });

  test('a failure counts if the receiver has never recovered', async () => {
    const { health, hook } = await createHealth();
    expect(await health.failed(await hook(), now, { ...failure, begun: 0 }, [])).toMatchObject({
      consecutiveFailures: 1,
    });
  });
});

describe('successes', () => {
  test('a success resets the failures and closes the circuit, but deliveries stay pending', async () => {
    const { health, hook } = await createHealth({ ...failing, ...leased });
    const before = await hook();
    await health.recordSuccess(before, now, null, []);
    expect(await hook()).toEqual({ ...before, ...ended, consecutiveFailures: 0, lastSuccess: now });
  });

  test('a slow response marks the receiver as slow, even if the next one is fast', async () => {
    const { health, hook } = await createHealth();
    await health.recordSuccess(await hook(), now, null, []);
    expect(await hook()).not.toHaveProperty('slowUntil');
    await health.recordSuccess(await hook(), now + 1, now + 600_000, []);
    await health.recordSuccess(await hook(), now + 2, null, []);
    expect(await hook()).toMatchObject({ slowUntil: now + 600_000, lastSuccess: now + 2 });
  });

  test('the first success after failures begins a release, unless another success came first', async () => {
    const { health, hook } = await createHealth(failing);
    const before = await hook();
    expect(await health.recordBack(before, { ...success, slowUntil: now + 9 }, null)).toBe(true);
    const back = { consecutiveFailures: 0, lastSuccess: now, slowUntil: now + 9, backDate: now };
    expect(await hook()).toEqual({ ...before, ...ended, ...back });
    expect(await health.recordBack(before, { ...success, now: now + 1 }, null)).toBe(false);
    expect(await hook()).toMatchObject(back);
  });

  test.each([
    ['before the latest failure', now - 2, true],
    ['at the same time as the latest failure', now - 1, true],
    ['after the latest failure', now, false],
    ['on a host whose clock is ahead', now + SKEW, false],
    ['in the future, before the clock was set back', now + SKEW + 1, true],
  ])('a success begins a release depending on when the last one began: %s', async (_, backDate, isFirst) => {
    const { health, hook } = await createHealth({ pendingSince: 1, lastFailure: now - 1, backDate });
    expect(await health.recordBack(await hook(), success, null)).toBe(isFirst);
    expect(await hook()).toMatchObject({ backDate: isFirst ? now : backDate });
  });

  test('a success begins no release if nothing is pending', async () => {
    const { health, hook } = await createHealth({ lastFailure: now - 1 });
    expect(await health.recordBack(await hook(), success, null)).toBe(false);
    expect(await hook()).not.toHaveProperty('backDate');
  });

  test.each([
    ['is moved before it if the clock was set back', now + SKEW + 1, now - 1],
    ['keeps its date if the clocks of hosts may differ that much', now + SKEW, now + SKEW],
  ])('a failure dated after the first success %s', async (_, lastFailure, after) => {
    const { health, hook } = await createHealth({ pendingSince: 1, lastFailure });
    expect(await health.recordBack(await hook(), success, null)).toBe(true);
    expect(await hook()).toMatchObject({ backDate: now, lastFailure: after });
  });

  test('no release is needed if the successful delivery was the only one that failed', async () => {
    const { health, hook } = await createHealth({ ...failing, ...leased });
    const before = await hook();
    expect(await health.recordBack(before, { ...success, leases }, 12)).toBe(true);
    const released = { pendingSince: undefined, slot0: undefined, slot0Token: undefined };
    expect(await hook()).toEqual({ ...before, ...ended, ...released, consecutiveFailures: 0, lastSuccess: now });
  });

  test.each([
    ['other deliveries have failed too', {}, 11],
    ['the URL has changed', { url: 'https://earlier.example' }, 12],
  ])('nothing is recorded about a delivery that seemed to be the only one failing: %s', async (_, change, own) => {
    const { health, hook } = await createHealth({ ...failing, ...leased });
    const before = await hook();
    expect(await health.recordBack({ ...before, ...change }, { ...success, leases }, own)).toBe(false);
    expect(await hook()).toEqual(before);
  });
});

type Call = (
  health: Awaited<ReturnType<typeof createHealth>>['health'],
  webhook: WebhookRecord,
  leases: readonly LeaseName[],
) => Promise<unknown>;

const outcomes: [string, Call][] = [
  ['a failure', (health, webhook, names) => health.failed(webhook, now, failure, names)],
  ['a success', (health, webhook, names) => health.recordSuccess(webhook, now, null, names)],
  ['a first success', (health, webhook, names) => health.recordBack(webhook, { ...success, leases: names }, null)],
];

test.each(outcomes)('%s is recorded and releases its leases in a single write', async (_, record) => {
  const { health, hook, updates } = await createHealth({ ...failing, ...leased });
  await record(health, await hook(), leases);
  expect(updates()).toBe(1);
  const after = await hook();
  for (const name of Object.keys(leased)) expect(after).not.toHaveProperty(name);
});

test.each(outcomes)('%s at an earlier URL only releases its slot', async (_, record) => {
  const { health, hook } = await createHealth({ ...failing, ...leased });
  const before = await hook();
  expect(await record(health, { ...before, url: 'https://earlier.example' }, leases)).toBeOneOf(nothing);
  expect(await hook()).toEqual({ ...before, slot0: undefined, slot0Token: undefined });
});

test.each(outcomes)('%s at an earlier URL costs no second write if no slot was leased', async (_, record) => {
  const { health, hook, updates } = await createHealth({ ...failing, ...leased });
  const before = await hook();
  await record(health, { ...before, url: 'https://earlier.example' }, ['probeUntil']);
  expect([await hook(), updates()]).toEqual([before, 1]);
});

const others: [string, Call][] = [
  ['disabling', (health, webhook) => health.disable(webhook, now, 'gone', null)],
  ['a pending delivery', (health, webhook) => health.notePending(webhook, now)],
  ['the end of a release', (health, webhook) => health.endRelease(webhook, now)],
  ['clearing failures', (health, webhook) => health.clearFailures(webhook, now)],
  ['a warning', (health, webhook) => health.recordWarning(webhook, now)],
];

test.each([...outcomes, ...others])('a deleted webhook is not recreated: %s', async (_, record) => {
  const { health, hook, its } = await createHealth(failing);
  const webhook = await hook();
  await its.webhooks.remove(webhook, now);
  expect(await record(health, webhook, leases)).toBeOneOf(nothing);
  expect(await its.webhooks.get(HOME, HOOK)).toBeNull();
});
