import { describe, expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
import { lambdas } from '#lib/aws/functions/lambdas.ts';
import type { Operation } from '#shared/api/operation.ts';
import { isAllProcessed } from '#shared/domain/event/recorded-call.ts';
import type { Use } from '#shared/runtime/capabilities.ts';
import { variablesOf } from '#shared/settings/environment.ts';

const noting = lambdas.filter(({ uses }) => (uses as readonly Use[]).includes('devices.noteCall'));
/** The clocks of two hosts differ by less than this. */
const MAX_CLOCK_SKEW_MS = 10_000;

describe('the functions that record device messages', () => {
  test('functions that record device messages serve HTTP and MQTT', () => {
    expect(noting.map(({ name }) => name)).toEqual(['devices', 'ingest']);
  });

  // Otherwise, a report could bypass the queue while an earlier one is still queued.
  test.each(noting)(
    '$name times out before earlier requests are assumed to have been processed',
    ({ timeoutSeconds }) => {
      const notedAt = timeoutSeconds * 1000 + MAX_CLOCK_SKEW_MS;
      expect(isAllProcessed({ notedCall: 'newest', notedAt }, { last: 'newest', since: 0 })).toBe(false);
    },
  );
});

test('the device function receives the device message quota', () => {
  const ofDevices = groups.filter(({ operations }) =>
    Object.values<Operation>(operations).some(({ auth }) => auth === 'device'),
  );
  expect(ofDevices.map(({ name }) => name)).toEqual(['devices']);
  for (const { operations } of ofDevices) {
    const uses = Object.values<Operation>(operations).flatMap((operation) => operation.uses);
    expect(uses.flatMap(variablesOf)).toContain('QUOTAS');
  }
});
