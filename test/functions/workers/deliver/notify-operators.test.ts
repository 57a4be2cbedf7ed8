import { describe, expect, test } from 'vitest';
import { alertManagers } from '#functions/workers/deliver/alert-managers.ts';
import { operatorMessage } from '#shared/domain/people/operator-message.ts';
import { alarmOf, customerId, runAlerts as run, managerStubs as world } from '#test/fixtures/manager-alarms.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('reports to operators', () => {
  const topic = 'arn:aws:sns:eu-central-1:1:alarms';
  const subject = `operators:${customerId}`;
  const claim = `operators-claim:${customerId}`;
  const mailed = { mailDate: NOW - 1 };
  const open = [alarmOf('a', mailed), alarmOf('b', { ...mailed, situation: 'apnea' })];

  test("operators get at most one report an hour about a customer's alarms", async () => {
    const { reports, reported, taken, places, logged } = await run({ open, topic });
    const message = operatorMessage({
      service: 'Sensor Cloud',
      runbook: 'https://wiki',
      customerId,
      situations: ['fall_detected', 'apnea'],
    });
    expect(reports).toEqual([[message.subject, message.text]]);
    expect(reported).toEqual([
      ['a', NOW],
      ['b', NOW],
    ]);
    expect(taken).toEqual([
      ['take', claim, 1, 20, NOW],
      ['mayTake', subject, 1, 3_600, NOW],
      ['take', subject, 1, 3_600, NOW],
    ]);
    expect(places).toEqual(['operators.notified']);
    expect(logged).toEqual([
      ['info', 'the operators were notified of alarms that reached nobody', { customerId, alarms: 2 }],
    ]);
  });

  test.each([[claim], [subject]])('operators get no report while the limit %s is used up', async (used) => {
    const { reports, reported } = await run({ open, topic, used: [used] });
    expect([reports, reported]).toEqual([[], []]);
  });

  test('operators get no report if there are no new alarms', async () => {
    expect((await run({ open })).taken).toEqual([]);
    const known = [alarmOf('a', { ...mailed, reportDate: 1 }), alarmOf('b', { ...mailed, isUnanswered: true })];
    expect((await run({ open: known, topic })).taken).toEqual([]);
    const { reported, reports } = await run({ open: [...known, alarmOf('c', mailed)], topic });
    expect(reported).toEqual([['c', NOW]]);
    expect(reports[0]?.[1]).toContain('1 fall_detected.');
  });

  test('the next task repeats a report that the topic rejected', async () => {
    const failure = new Error('the topic is away');
    const { deps, taken, reported } = world({ open, topic, notify: () => Promise.reject(failure) });
    await expect(alertManagers(deps, customerId)).rejects.toBe(failure);
    expect(taken.at(-1)).toEqual(['giveBack', claim, NOW]);
    expect(reported).toEqual([]);
  });

  test('a failure to email managers does not prevent the report to operators', async () => {
    const failure = new Error('no mails');
    const fresh = [alarmOf('a')];
    const without = world({ open: fresh, topic, mail: () => Promise.reject(failure) });
    await expect(alertManagers(without.deps, customerId)).rejects.toBe(failure);
    expect(without.reports).toHaveLength(1);
    expect(without.logged.map(([level]) => level)).toEqual(['info']);
    const both = world({
      open: fresh,
      topic,
      mail: () => Promise.reject(failure),
      notify: () => Promise.reject(new Error('no topic')),
    });
    await expect(alertManagers(both.deps, customerId)).rejects.toBe(failure);
    expect(both.logged).toMatchObject([
      ['error', 'operators were not notified of alarms', { customerId }, { message: 'no topic' }],
    ]);
  });
});

test('no report or email is sent once all alarms have been acknowledged', async () => {
  const { deps, mails, taken } = world({ open: [], topic: 'topic' });
  const { store } = deps;
  await alertManagers({ ...deps, store: { unnotified: store.unnotified } } as never, customerId);
  expect([mails, taken]).toEqual([[], []]);
});
