import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { type Store, store } from '#shared/store/store.ts';
import { type Dynoxide, dynoxideClient, startDynoxide } from '#test/fixtures/dynoxide.ts';
import { now, some, user } from '#test/fixtures/store-items.ts';

let engine: Dynoxide;
/** Two clients for the same table. While a fault is set, the first one loses a write or its response. */
let faulty: Store;
let other: Store;
/** The next write's fault: either the response is lost, or the write itself never arrives. Then another call acts. */
let fault: { isDone: boolean; meanwhile: () => Promise<unknown> } | null = null;
beforeAll(async () => {
  engine = await startDynoxide();
  await ensureTable(engine.endpoint, 'once');
  const client = dynoxideClient(engine.endpoint);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const current = commandName === 'UpdateItemCommand' ? fault : null;
        if (!current) return next(args);
        fault = null;
        if (current.isDone) await next(args);
        await current.meanwhile();
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    { step: 'deserialize', priority: 'high', name: 'loses a write' },
  );
  faulty = store(createTable(client, 'once'));
  other = store(createTable(dynoxideClient(engine.endpoint), 'once'));
});
afterAll(() => engine.stop());

let at = 0;
const otp = some({ sealed: 'encrypted secret' });
/** Enables a second factor. */
const enableOtp = async (): Promise<string> => {
  const accountKey = `account ${++at}`;
  const account = { ...(user as object), id: at, accountKey, username: accountKey, customerId: null };
  await other.users.create(some(account), accountKey, 'hash', 1);
  await other.otps.storeSecret(accountKey, 'encrypted secret');
  const sessionHash = `session ${at}`;
  await other.sessions.start(accountKey, sessionHash, some({ id: 'id', createDate: now, expires: now }));
  await other.otps.enable(some(account), otp, { lastStep: 1, codes: ['c1', 'c2'], sessionHash });
  return accountKey;
};
const begin = async (): Promise<string> => {
  const hash = `state ${++at}`;
  await other.externals.startLogin(hash, some({ expires: now }));
  return hash;
};

/** Everything that can be used only once, with functions to create and use it. */
const oneTimeValues = [
  ['an authenticator app code', enableOtp, (its: Store, key: string) => its.otps.useStep(key, otp, 2)],
  ['a recovery code', enableOtp, (its: Store, key: string) => its.otps.useCode(key, 'c1')],
  [
    'an identity provider login state',
    begin,
    async (its: Store, key: string) => (await its.externals.completeLogin(key)) !== null,
  ],
] as const;

describe.each(oneTimeValues)('%s', (_, create, use) => {
  const successes = (uses: readonly boolean[]) => uses.filter(Boolean).length;

  test('a one-time item can be used only once, even by 20 parallel requests', async () => {
    const key = await create();
    expect(successes(await Promise.all(Array.from({ length: 20 }, () => use(other, key))))).toBe(1);
    expect(await use(other, key)).toBe(false);
  });

  test('a one-time item cannot be used twice even if a table response is lost', async () => {
    const key = await create();
    fault = { isDone: true, meanwhile: async () => {} };
    const first = await use(faulty, key);
    expect(successes([first, await use(other, key)])).toBeLessThanOrEqual(1);
  });

  test('a one-time item cannot be used twice even if another request precedes the retry', async () => {
    const key = await create();
    const uses: boolean[] = [];
    fault = { isDone: false, meanwhile: async () => uses.push(await use(other, key)) };
    uses.push(await use(faulty, key));
    expect([uses, fault]).toEqual([[true, false], null]);
  });
});
