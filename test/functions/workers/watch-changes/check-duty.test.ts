import { describe, expect, test } from 'vitest';
import { checkDuty } from '#functions/workers/watch-changes/check-duty.ts';
import type { WatchDeps } from '#functions/workers/watch-changes/mail-managers.ts';
import type { By } from '#shared/domain/rule/recipient.ts';
import type { DutyCheck } from '#shared/store/people/duty-checks.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';
import { rule as ruleTo } from '#test/fixtures/watch-input.ts';

const HOUR = 3_600_000;
const customerId = 7;
const onDuty = (by: By) => ({ onDuty: true, by }) as const;
/** A rule that notifies the users on duty. */
const rule = (more: object = {}, bys: readonly By[] = ['sms']) => ruleTo(bys.map(onDuty), { name: 'Fall', ...more });
const manager = (name: string, more: object = {}) => ({
  email: `${name}@example.org`,
  locale: 'en',
  canLogin: true,
  isAdmin: false,
  permissions: ['manage_rules'],
  ...more,
});
const checked = (more: Partial<DutyCheck> = {}): DutyCheck => ({
  customerId,
  at: NOW + HOUR,
  missing: ['sms'],
  isMailed: true,
  revision: 4,
  ...more,
});

type DutyWorld = {
  before?: DutyCheck | null;
  known?: readonly By[];
  rules?: readonly object[];
  /** The verified channels of the user on duty. */
  verified?: readonly string[];
  managers?: readonly object[];
  isCustomerGone?: boolean;
  /** Whether another process writes first, by write. */
  raced?: readonly boolean[];
  settings?: object;
};
const check = async ({
  before = null,
  known,
  rules = [rule()],
  verified = [],
  managers = [manager('nora')],
  isCustomerGone = false,
  raced = [],
  settings = {},
}: DutyWorld = {}) => {
  const { recorded, named } = recordedCalls();
  const lost = [...raced];
  const customer = isCustomerGone ? null : { id: customerId, name: 'Elm', timeZone: 'UTC' };
  const store = {
    rules: { list: recorded('rules', () => rules) },
    customers: { get: recorded('customer', () => customer) },
    duty: { get: async () => ({ own: [{ userId: 21, until: NOW + 5 * HOUR }], roster: [] }) },
    recipients: { person: async () => ({ id: 21, customerId, canLogin: true }) },
    channels: { list: async () => verified.map((by) => ({ by, provenDate: 1 })) },
    users: { list: async () => managers },
    dutyChecks: {
      put: recorded('put', (next: object) => (lost.shift() ? null : { ...next, revision: 5 })),
      remove: recorded('remove'),
    },
  };
  const mails: string[][] = [];
  const stubs = stubDeps<WatchDeps>(store, { mail: async (...mail: string[]) => void mails.push(mail) });
  Object.assign(stubs.deps.settings, {
    CHANNEL_KINDS: ['sms', 'telegram'],
    MAIL_SENDER: 'cloud@example.org',
    ...settings,
  });
  const isDone = await checkDuty(stubs.deps, customerId, before, ...(known ? [known] : []));
  return { ...stubs, isDone, named, mails };
};
const next = (missing: readonly string[] = ['sms']) => ({ customerId, at: NOW + HOUR, missing, isMailed: true });

describe('a check of who is on duty', () => {
  test('managers get an email once nobody on duty can be notified', async () => {
    const { isDone, named, mails, logged, places } = await check();
    expect(isDone).toBe(true);
    const claim = { ...next(), at: NOW + 90_000, isMailed: false };
    expect(named('put')).toEqual([
      [claim, null],
      [next(), { ...claim, revision: 5 }],
    ]);
    expect(mails).toEqual([['nora@example.org', expect.stringContaining('Elm'), expect.stringContaining('Fall')]]);
    expect(logged).toEqual([['info', 'nobody on duty can be notified anymore', { customerId, channels: ['sms'] }]]);
    expect(places).toEqual(['duty.claimed']);
    // The rules and the customer may have changed just now.
    expect([named('rules'), named('customer')[0]]).toEqual([[[customerId, false]], [customerId, false]]);
  });

  test('managers get no email while someone on duty can be notified', async () => {
    const { isDone, named, mails } = await check({ verified: ['sms'] });
    expect([isDone, named('put'), mails]).toEqual([true, [[next([]), null]], []]);
  });

  test('managers get no second email about the same channels', async () => {
    const same = await check({ before: checked() });
    expect([same.isDone, same.named('put'), same.mails]).toEqual([true, [], []]);
    const later = await check({ before: checked({ at: NOW }) });
    expect([later.named('put').length, later.mails]).toEqual([1, []]);
    const known = await check({ known: ['sms'] });
    expect([known.named('put'), known.mails]).toEqual([[[next(), null]], []]);
    const fewer = await check({ before: checked({ missing: ['sms', 'telegram'] }) });
    expect([fewer.named('put').length, fewer.mails]).toEqual([1, []]);
  });

  test('managers get an email about another channel, or if the process died before sending one', async () => {
    const rules = [rule({}, ['sms', 'telegram'])];
    const covered = rule({ name: 'Apnea' });
    const { mails } = await check({ rules: [...rules, covered], before: checked(), verified: ['sms'] });
    expect(mails).toEqual([
      [expect.any(String), expect.any(String), expect.stringMatching(/^(?=[\s\S]*Fall)(?![\s\S]*Apnea)/)],
    ]);
    expect((await check({ before: checked({ isMailed: false }) })).mails).toHaveLength(1);
  });

  test('a check that another process has made is left to that process', async () => {
    const claimed = await check({ raced: [true] });
    expect([claimed.isDone, claimed.mails, claimed.named('put').length]).toEqual([false, [], 1]);
    expect((await check({ raced: [false, true] })).isDone).toBe(false);
    expect((await check({ verified: ['sms'], raced: [true] })).isDone).toBe(false);
  });

  test('channels the host cannot send through are not missing', async () => {
    const rules = [rule({}, ['push'])];
    expect((await check({ rules })).named('put')).toEqual([[next([]), null]]);
  });

  test('a customer is no longer checked if no rule notifies the users on duty, or the customer is gone', async () => {
    for (const gone of [{ rules: [] }, { isCustomerGone: true }]) {
      const { isDone, named } = await check({ ...gone, before: checked() });
      expect([isDone, named('remove'), named('put')]).toEqual([true, [[checked()]], []]);
      expect((await check(gone)).named('remove')).toEqual([]);
    }
  });
});

describe('emails to managers', () => {
  test('only users who may log in, manage rules and have an address get the email', async () => {
    const managers = [
      manager('nora'),
      manager('admin', { isAdmin: true, permissions: [] }),
      manager('locked', { canLogin: false }),
      manager('silent', { email: '' }),
      manager('nurse', { permissions: ['view_rules'] }),
    ];
    const { mails } = await check({ managers });
    expect(mails.map(([to]) => to)).toEqual(['nora@example.org', 'admin@example.org']);
  });

  test('no email is sent in a stage without email', async () => {
    const { isDone, mails } = await check({ settings: { MAIL_SENDER: '' } });
    expect([isDone, mails]).toEqual([true, []]);
  });
});
