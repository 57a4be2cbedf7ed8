import { describe, expect, test } from 'vitest';
import { runRequest } from '#functions/workers/data-jobs/request.ts';
import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { anna, ben, createJobWorld, requestAt } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const BEGINS = NOW + 86_400_000;
const requested = requestAt(NOW, { begins: BEGINS, reason: 'the home closes' });
const manager = { permissions: ['manage_customers'], locale: 'de' };
const person = (firstName: string, fields: object = {}) => ({
  firstName,
  lastName: '',
  email: `${firstName.toLowerCase()}@example.org`,
  ...fields,
});

const createWorld = async (job = requested, customerMail = 'home@example.org') => {
  const world = await createJobWorld();
  const { its, table, deps } = world;
  const customer = { email: customerMail, name: 'Elm', timeZone: 'UTC' };
  await table.update(items.customer({ customerId: HOME }), changes({ set: customer }));
  await its.dataJobs.create(job);
  return {
    ...world,
    run: async (fields: Partial<DataJob> = {}) => runRequest(deps, { ...job, ...fields }),
    stored: () => its.dataJobs.get(job),
    /** Returns the addresses that got an email, with its language. */
    informed: () => world.mails.map(([to, subject]) => `${to} ${subject?.startsWith('Erasure') ? 'en' : 'de'}`).sort(),
  };
};

describe('who is informed of a requested erasure', () => {
  test('all managers and system admins who can log in, and the customer address, each in their language', async () => {
    const { hire, run, informed } = await createWorld();
    await hire(7, person('Anna', { ...manager, locale: 'en' }));
    await hire(8, person('Ben', manager));
    await hire(9, person('Cleo', { ...manager, canLogin: false }));
    await hire(10, person('Dora', { permissions: ['manage_users'] }));
    await hire(20, person('Olga', { customerId: null, isAdmin: true, locale: 'de' }));
    await hire(21, person('Pia', { customerId: null, isAdmin: true, canLogin: false }));
    await hire(22, person('Rolf', { customerId: null, permissions: ['manage_customers'] }));
    await run();
    expect(informed()).toEqual([
      'anna@example.org en',
      'ben@example.org de',
      'home@example.org en',
      'olga@example.org de',
    ]);
  });

  test('the customer address gets the language of the requester', async () => {
    const { hire, run, informed } = await createWorld();
    await hire(7, person('Anna', { email: '', locale: 'de' }));
    await hire(8, person('Ben', { ...manager, email: '', locale: 'en' }));
    await run();
    expect(informed()).toEqual(['home@example.org de']);
  });

  test('an erasure requested by someone outside the customer is announced in English', async () => {
    for (const actor of [{ kind: 'user', id: '99', name: 'Olga' } as const, null]) {
      const { hire, run, informed } = await createWorld({ ...requested, actor });
      await hire(7, person('Anna', { email: '', locale: 'de' }));
      await hire(8, person('Ben', { ...manager, email: '' }));
      await run();
      expect(informed()).toEqual(['home@example.org en']);
    }
  });

  test('an address shared by several gets a single email, and a missing one gets none', async () => {
    const { hire, run, informed } = await createWorld(requested, '');
    await hire(7, person('Anna', { ...manager, email: 'office@example.org' }));
    await hire(8, person('Ben', { ...manager, email: 'office@example.org' }));
    await hire(9, person('Cleo', { ...manager, email: '' }));
    await run();
    expect(informed()).toEqual(['office@example.org de']);
  });
});

test('the email names the requester, the reason, the time, and the other managers to ask', async () => {
  const { hire, run, mails } = await createWorld();
  await hire(7, person('Anna', manager));
  await hire(8, person('Ben', manager));
  await run();
  const [, subject, text] = mails.find(([to]) => to === 'home@example.org') ?? [];
  expect(subject).toBe('Löschung von Elm beantragt');
  expect(text).toContain('Anna hat beantragt, Elm zu löschen');
  expect(text).toContain('Grund: the home closes');
  expect(text).toContain('frühestens am 2027-01-16 08:00 UTC');
  expect(text).toContain('wenden Sie sich an Ben oder einen Systemverwalter');
  expect(text).toContain(`https://cloud.example.org/api/v1/console/personal-data?kind=customer&customer=${HOME}`);
});

describe('how often emails are sent', () => {
  test('a request is announced once', async () => {
    const { run, stored, mails } = await createWorld();
    expect((await stored())?.isMailed).toBeUndefined();
    await run();
    expect([(await stored())?.isMailed, mails.length]).toEqual([true, 1]);
    await run({ isMailed: true });
    expect(mails).toHaveLength(1);
  });

  test('a failed email leaves the request unannounced, so that it is announced again', async () => {
    const { run, stored, deps } = await createWorld();
    deps.mail = async () => {
      throw new Error('the mail service is down');
    };
    await expect(run()).rejects.toThrow('the mail service is down');
    expect((await stored())?.isMailed).toBeUndefined();
  });

  test('a host that cannot send emails still goes on', async () => {
    const { run, stored, deps, mails, due } = await createWorld();
    Object.assign(deps.settings, { MAIL_SENDER: '' });
    await run();
    expect([mails, (await stored())?.isMailed, await due(requested)]).toEqual([[], true, BEGINS]);
  });

  test('a deleted customer has no one to inform', async () => {
    const { its, run, stored, mails } = await createWorld();
    await its.subjects.dropCustomer(HOME);
    await run();
    expect([mails, (await stored())?.isMailed]).toEqual([[], undefined]);
  });
});

describe('when a requested erasure begins', () => {
  test('users have until then to cancel it, even if it is approved', async () => {
    const { its, run, stored, due, enqueued, pass } = await createWorld();
    await its.dataJobs.approve(requested, ben, NOW, BEGINS);
    pass(BEGINS - NOW - 1);
    await run({ approvedBy: ben });
    expect([(await stored())?.state, await due(requested), enqueued]).toEqual(['requested', BEGINS, []]);
  });

  test('it begins once it is approved and the time has come', async () => {
    const { its, run, stored, enqueued, pass } = await createWorld();
    await its.dataJobs.approve(requested, ben, NOW, BEGINS);
    pass(BEGINS - NOW);
    await run({ approvedBy: ben });
    expect(await stored()).toMatchObject({ state: 'running', startDate: BEGINS, actor: anna });
    expect(enqueued).toEqual([[[{ type: 'run_job', customerId: HOME, kind: 'erasure', jobId: requested.id }], 0]]);
  });

  test('an unapproved erasure waits until someone approves it', async () => {
    const { run, stored, due, enqueued, pass } = await createWorld();
    pass(BEGINS - NOW);
    await run();
    expect([(await stored())?.state, await due(requested), enqueued]).toEqual(['requested', null, []]);
  });

  test('an erasure that was canceled in the meantime does not begin', async () => {
    const { its, run, stored, enqueued, pass } = await createWorld();
    await its.dataJobs.approve(requested, ben, NOW, BEGINS);
    await its.dataJobs.cancel(requested, anna, NOW);
    pass(BEGINS - NOW);
    await run({ approvedBy: ben });
    expect([(await stored())?.state, enqueued]).toEqual(['canceled', []]);
  });
});
