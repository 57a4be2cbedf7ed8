import { describe, expect, test } from 'vitest';
import { checkChanges } from '#functions/workers/watch-changes/handler.ts';
import type { WatchDeps } from '#functions/workers/watch-changes/mail-managers.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';
import { rule } from '#test/fixtures/watch-input.ts';

const MINUTE = 60_000;
const customerId = 7;
const noRule = { kind: 'no_rule', sensorIds: ['s1'], total: 1 };
const line = (operation: string, date: number, kind = 'rule', id = '3') => ({
  id: `${operation}-${date}`,
  date,
  actor: { kind: 'user', id: '1', name: 'Nora' },
  operation,
  object: { kind, id },
  changes: [],
});
const opened = (more: object = {}) => ({ from: NOW - 10 * MINUTE, to: NOW - MINUTE, gaps: [noRule], ...more });

type ChangesWorld = {
  changed?: readonly { customerId: number; at: number }[];
  /** The gaps that have opened. */
  gaps?: readonly object[];
  lines?: readonly object[];
  isPut?: boolean;
  /** The duty checks of all customers, and of this one. */
  checks?: readonly object[];
  before?: object | null;
  rules?: readonly object[];
  isRaced?: boolean;
  failing?: readonly number[];
  left?: () => number;
};
const run = async ({
  changed = [{ customerId, at: NOW - 10_000 }],
  gaps = [],
  lines = [],
  isPut = true,
  checks = [],
  before = null,
  rules = [],
  isRaced = false,
  failing = [],
  left = () => 60_000,
}: ChangesWorld = {}) => {
  const { recorded, named } = recordedCalls();
  const stored = {
    watch: {
      date: NOW,
      gaps: [],
      names: { sensors: { s1: 'Room 1' }, rules: {}, users: {}, webhooks: {}, groups: {} },
    },
    opened: gaps,
    revision: 3,
  };
  const rulesOf = (id: number) => {
    if (failing.includes(id)) throw new Error('the table does not answer');
    return rules;
  };
  const nora = { email: 'nora@example.org', locale: 'en', canLogin: true, isAdmin: true, permissions: [] };
  const store = {
    watches: {
      get: async () => stored,
      put: recorded('putWatch', () => isPut),
      changedCustomers: async () => changed,
      endChange: recorded('endChange', () => undefined),
    },
    audit: { page: recorded('audit', () => ({ data: lines })) },
    rules: { list: recorded('rules', rulesOf) },
    customers: { get: async () => ({ id: customerId, name: 'Elm', timeZone: 'UTC' }) },
    duty: { get: async () => ({ own: [], roster: [] }) },
    dutyChecks: {
      list: async () => checks,
      get: recorded('dutyCheck', () => before),
      put: recorded('putCheck', () => (isRaced ? null : { revision: 1 })),
      remove: recorded('removeCheck', () => undefined),
    },
    users: { list: async () => [nora] },
  };
  const mails: string[] = [];
  const mail = async (_: string, __: string, text: string) => void mails.push(text);
  const stubs = stubDeps<WatchDeps>(store, { mail });
  Object.assign(stubs.deps.settings, { CHANNEL_KINDS: ['sms'], MAIL_SENDER: 'cloud@example.org' });
  await checkChanges(stubs.deps, left);
  return { ...stubs, named, mails, stored };
};
const onDutyRule = rule([{ onDuty: true, by: 'sms' }]);

describe('a changed customer', () => {
  test('a change is settled three seconds after it was made', async () => {
    const at = (ms: number) => run({ changed: [{ customerId, at: NOW - ms }] });
    const settled = await at(3_000);
    expect(settled.named('endChange')).toEqual([[{ customerId, at: NOW - 3_000 }]]);
    expect((await at(2_999)).named('endChange')).toEqual([]);
    expect((await at(2_999)).named('rules')).toEqual([]);
    // This change was made before the clock was set back.
    expect((await at(-20_000)).named('endChange')).toHaveLength(1);
  });

  test('a change stays if another process checks the users on duty first', async () => {
    const { named } = await run({ rules: [onDutyRule], isRaced: true });
    expect([named('putCheck').length, named('endChange')]).toEqual([1, []]);
  });

  test('managers get one email about the gaps that changes have opened', async () => {
    const lines = [line('deleteRule', NOW - 5 * MINUTE), line('setUserAccess', NOW - 4 * MINUTE, 'user')];
    const { named, mails, stored, logged } = await run({ gaps: [opened()], lines });
    expect(named('putWatch')).toEqual([[customerId, { ...stored, opened: [] }, stored]]);
    expect(named('audit')).toEqual([
      [customerId, [NOW - 10 * MINUTE, NOW - MINUTE], { page: 0, perPage: 200, refused: false }],
    ]);
    expect(mails).toEqual([expect.stringMatching(/rule 3 deleted\n[\s\S]*Room 1/)]);
    expect(mails[0]).not.toContain('user');
    expect(logged).toEqual([['info', 'a change opened gaps about falls', { customerId, kinds: ['no_rule'] }]]);
    expect(named('endChange')).toHaveLength(1);
  });

  test('managers get no email if nothing has opened, or no change can have opened it', async () => {
    const quiet = await run();
    expect([quiet.named('putWatch'), quiet.mails, quiet.logged]).toEqual([[], [], []]);
    const unrelated = await run({ gaps: [opened()], lines: [line('setUserAccess', NOW, 'user')] });
    expect([unrelated.mails, unrelated.logged]).toEqual([[], []]);
  });

  test('only a change related to one of several gaps is named', async () => {
    const gaps = [opened({ gaps: [noRule, { kind: 'silent_mode', sensorIds: ['s1'], total: 1 }] })];
    expect((await run({ gaps, lines: [line('deleteRule', NOW)] })).mails).toHaveLength(1);
  });

  test('changes are named in the order they were made', async () => {
    const gaps = [opened(), opened({ from: NOW - 20 * MINUTE })];
    const lines = [line('deleteRule', NOW - MINUTE, 'rule', '5'), line('updateRule', NOW - 2 * MINUTE, 'rule', '4')];
    const [text = ''] = (await run({ gaps, lines })).mails;
    expect(text.match(/rule \d/g)).toEqual(['rule 4', 'rule 4', 'rule 5', 'rule 5']);
  });

  test('only the last two minutes count, and creations open nothing, if there was no earlier watch', async () => {
    const gaps = [opened({ from: null })];
    const { named, mails } = await run({ gaps, lines: [line('createRule', NOW)] });
    expect(named('audit')[0]?.[1]).toEqual([NOW - 3 * MINUTE, NOW - MINUTE]);
    expect(mails).toEqual([]);
    expect((await run({ gaps, lines: [line('deleteRule', NOW)] })).mails).toHaveLength(1);
    expect((await run({ gaps: [opened()], lines: [line('createRule', NOW)] })).mails).toHaveLength(1);
  });

  test('gaps that another process is checking are left to that process', async () => {
    const { named, mails, logged } = await run({ gaps: [opened()], lines: [line('deleteRule', NOW)], isPut: false });
    expect([named('audit'), mails, named('endChange'), named('dutyCheck'), logged]).toEqual([[], [], [], [], []]);
  });

  test('a change that leaves nobody on duty is reported in a single email', async () => {
    const gaps = [opened({ gaps: [{ kind: 'nobody_on_duty', ruleIds: [3], by: 'sms' }] })];
    const lines = [line('endDuty', NOW, 'user')];
    expect((await run({ gaps, lines, rules: [onDutyRule] })).mails).toHaveLength(1);
    // Another gap says nothing about the channels of the users on duty.
    const other = await run({ gaps: [opened()], lines: [line('deleteRule', NOW)], rules: [onDutyRule] });
    expect(other.mails).toHaveLength(2);
  });
});

describe('a run', () => {
  const check = (at: number, of = customerId) => ({ customerId: of, at, missing: [], isMailed: true, revision: 1 });

  test('a run makes the duty checks that are due', async () => {
    const checksAt = async (at: number) => (await run({ changed: [], checks: [check(at)] })).named('rules').length;
    expect([await checksAt(NOW), await checksAt(NOW + 1), await checksAt(NOW + 3_600_000)]).toEqual([1, 0, 0]);
    // This check was planned before the clock was set back.
    expect(await checksAt(NOW + 3_600_000 + 60_000)).toBe(1);
  });

  test('a failed check is reported, and does not keep others from being checked', async () => {
    const checks = [check(NOW, 5), check(NOW, 6)];
    const changed = [
      { customerId: 8, at: NOW - 10_000 },
      { customerId, at: NOW - 10_000 },
    ];
    const { named, measured, logged } = await run({ checks, changed, failing: [5, 8] });
    expect(named('rules').map(([id]) => id)).toEqual([5, 6, 8, 7]);
    expect(named('endChange')).toEqual([[changed[1]]]);
    expect(measured).toEqual(Array(2).fill(['TasksFailed', 1, { worker: 'watch-changes', kind: 'other' }]));
    const message = 'a change was not checked and is left to the next run';
    expect(logged.map((logLine) => logLine.slice(0, 3))).toEqual([
      ['error', message, { customerId: 5 }],
      ['error', message, { customerId: 8 }],
    ]);
  });

  test('a run leaves the remaining customers to the next one when time runs out', async () => {
    for (const [left, count] of [
      [15_000, 1],
      [14_999, 0],
    ] as const) {
      const duty = await run({ changed: [], checks: [check(NOW)], left: () => left });
      const changes = await run({ left: () => left });
      expect([duty.named('rules').length, changes.named('endChange').length]).toEqual([count, count]);
    }
  });
});
