import { describe, expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
import { lambdas } from '#lib/aws/functions/lambdas.ts';
import type { Operation } from '#shared/api/operation.ts';
import { isAllJudged } from '#shared/domain/event/noted-call.ts';
import type { Use } from '#shared/runtime/capabilities.ts';
import { variablesOf } from '#shared/settings/environment.ts';

const notes = lambdas.filter(({ uses }) => (uses as readonly Use[]).includes('devices.noteCall'));
/** The clocks of two hosts differ by less. */
const CLOCKS_MS = 10_000;

describe('a function that notes the calls of devices', () => {
  test('is one of two, for the two ways in', () => {
    expect(notes.map(({ name }) => name)).toEqual(['devices', 'ingest']);
  });

  // Otherwise a report could be answered without the queue while an earlier one may still be queued.
  test.each(notes)(
    '$name: has ended before a call that was noted later passes for the newest',
    ({ timeoutSeconds }) => {
      const notedAt = timeoutSeconds * 1000 + CLOCKS_MS;
      expect(isAllJudged({ notedCall: 'newest', notedAt }, { last: 'newest', since: 0 })).toBe(false);
    },
  );
});

test('a group that devices call knows how many messages they may send', () => {
  const ofDevices = groups.filter(({ operations }) =>
    Object.values<Operation>(operations).some(({ auth }) => auth === 'device'),
  );
  expect(ofDevices.map(({ name }) => name)).toEqual(['devices']);
  for (const { operations } of ofDevices) {
    const uses = Object.values<Operation>(operations).flatMap((operation) => operation.uses);
    expect(uses.flatMap(variablesOf)).toContain('QUOTAS');
  }
});
