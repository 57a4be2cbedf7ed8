import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { type Store, store } from '#shared/store/store.ts';
import { type Dynoxide, dynoxideClient, startDynoxide } from '#test/fixtures/dynoxide.ts';
import { now, some, user } from '#test/fixtures/store-things.ts';

let engine: Dynoxide;
/** The same table twice: the first one loses the answer to each first write, before or after it was carried out. */
let disturbed: Store;
let other: Store;
/** What happens to the next write: nothing; its answer is lost; it never arrives. Somebody else acts in between. */
let fault: { isDone: boolean; meanwhile: () => Promise<unknown> } | null = null;
beforeAll(async () => {
  engine = await startDynoxide();
  await ensureTable(engine.endpoint, 'once');
  const client = dynoxideClient(engine.endpoint);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const now = commandName === 'UpdateItemCommand' ? fault : null;
        if (!now) return next(args);
        fault = null;
        if (now.isDone) await next(args);
        await now.meanwhile();
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    { step: 'deserialize', priority: 'high', name: 'disturbs a write' },
  );
  disturbed = store(createTable(client, 'once'));
  other = store(createTable(dynoxideClient(engine.endpoint), 'once'));
});
afterAll(() => engine.stop());

let at = 0;
const sealed = 'sealed';
/** A second factor that is on. */
const switchOn = async (): Promise<string> => {
  const accountKey = `account ${++at}`;
  const account = { ...(user as object), id: at, accountKey, username: accountKey, customerId: null };
  await other.users.create(some(account), accountKey, 'hash', 1);
  await other.otps.begin(accountKey, sealed);
  const sessionHash = `session ${at}`;
  await other.sessions.start(accountKey, sessionHash, some({ id: 'id', createDate: now, expires: now }));
  await other.otps.switchOn(some(account), some({ sealed }), { lastStep: 1, codes: ['c1', 'c2'], sessionHash });
  return accountKey;
};
const begin = async (): Promise<string> => {
  const hash = `state ${++at}`;
  await other.externals.begin(hash, some({ expires: now }));
  return hash;
};

/** Each thing that is good once: what makes one, and what uses it up. */
const things = [
  ['a code of an app', switchOn, (all: Store, key: string) => all.otps.useStep(key, some({ sealed }), 2)],
  ['a recovery code', switchOn, (all: Store, key: string) => all.otps.useCode(key, 'c1')],
  [
    'the state of a login at an issuer',
    begin,
    async (all: Store, key: string) => (await all.externals.take(key)) !== null,
  ],
] as const;

describe.each(things)('%s', (_, make, use) => {
  const times = (uses: readonly boolean[]) => uses.filter(Boolean).length;

  test('is good once, whoever uses it when', async () => {
    const key = await make();
    expect(times(await Promise.all(Array.from({ length: 20 }, () => use(other, key))))).toBe(1);
    expect(await use(other, key)).toBe(false);
  });

  test('is not good twice where the table loses an answer', async () => {
    const key = await make();
    fault = { isDone: true, meanwhile: async () => {} };
    const first = await use(disturbed, key);
    expect(times([first, await use(other, key)])).toBeLessThanOrEqual(1);
  });

  test('is not good twice where a write gets lost, and somebody else uses it before it is repeated', async () => {
    const key = await make();
    const uses: boolean[] = [];
    fault = { isDone: false, meanwhile: async () => uses.push(await use(other, key)) };
    uses.push(await use(disturbed, key));
    expect([uses, fault]).toEqual([[true, false], null]);
  });
});
