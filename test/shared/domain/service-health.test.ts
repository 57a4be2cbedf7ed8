import { describe, expect, test } from 'vitest';
import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { type HostHealth, judgeHealth, unknownHost } from '#shared/domain/service-health.ts';

const NOW = 1_800_000_000_000;
const ago = (seconds: number) => NOW - seconds * 1_000;
type Last = { sweep: number | null; canary: number | null };

const judge = (host: Partial<HostHealth> = {}, last: Partial<Last> = {}, table: 'OK' | 'FAILING' | null = 'OK') =>
  judgeHealth(table, { sweep: ago(60), canary: null, ...last }, { ...unknownHost, ...host }, NOW);
const statusOf = (...given: Parameters<typeof judge>) => judge(...given).status;

describe('the health of the service', () => {
  test('the service is healthy if nothing is known to fail', () => {
    expect(judge()).toEqual({
      status: 'OK',
      table: 'OK',
      queues: null,
      disk: null,
      mail: null,
      oldestWaitingSeconds: null,
      exceptions: null,
      lastSweepSeconds: 60,
      canarySeconds: null,
    });
    expect(statusOf({ queues: 'OK', disk: 'OK', mail: 'OK', oldestWaitingSeconds: 0, exceptions: 5 })).toBe('OK');
    expect(statusOf({}, {}, null)).toBe('OK');
  });

  test('each part that fails makes the service fail', () => {
    expect(statusOf({}, {}, 'FAILING')).toBe('FAILING');
    for (const host of [{ queues: 'FAILING' }, { mail: 'FAILING' }, { disk: 'FAILING' }, { disk: 'FULL' }] as const)
      expect([host, statusOf(host)]).toEqual([host, 'FAILING']);
  });

  test('a sweep, a task or a canary fall that is too late makes the service fail', () => {
    expect([180, 180.4, 181].map((seconds) => statusOf({}, { sweep: ago(seconds) }))).toEqual(['OK', 'OK', 'FAILING']);
    expect([180, 181].map((oldestWaitingSeconds) => statusOf({ oldestWaitingSeconds }))).toEqual(['OK', 'FAILING']);
    const late = 2 * CANARY_SECONDS + 180;
    expect([late, late + 1].map((seconds) => statusOf({}, { canary: ago(seconds) }))).toEqual(['OK', 'FAILING']);
    expect(judge({}, { canary: ago(30) }).canarySeconds).toBe(30);
  });

  test('a host that has just started has time for its first sweep', () => {
    expect(statusOf({ since: ago(180) }, { sweep: null })).toBe('OK');
    expect(statusOf({ since: ago(181) }, { sweep: null })).toBe('FAILING');
    expect(statusOf({ since: ago(10) }, { sweep: ago(3_600) })).toBe('OK');
    expect(judge({ since: ago(10) }, { sweep: null }).lastSweepSeconds).toBeNull();
    expect(statusOf({}, { sweep: null })).toBe('OK');
  });

  test('times in the future count as now', () => {
    expect(judge({}, { sweep: NOW + 5_000, canary: NOW + 5_000 })).toMatchObject({
      status: 'OK',
      lastSweepSeconds: 0,
      canarySeconds: 0,
    });
  });
});
