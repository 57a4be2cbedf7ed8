import { describe, expect, test } from 'vitest';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const HOME = 3;
const FOREVER = [0, Number.MAX_SAFE_INTEGER - 1] as const;
const idAt = (time: number, n = 0) => auditIdOf(time, new Uint8Array(6).fill(n));
const lineAt = (time: number, fields: object = {}, n = 0) => ({
  id: idAt(time, n),
  operation: 'createRule',
  refused: false,
  actor: { kind: 'user', id: '7', name: 'nurse' },
  object: { kind: 'rule', id: '40' },
  changes: [],
  ...fields,
});
const createWorld = async (...lines: ReturnType<typeof lineAt>[]) => {
  const { its, table } = memoryStore();
  for (const line of lines) await its.auditLines.put(HOME, some(line));
  const page = async (query: object = {}, times: readonly [number, number] = FOREVER, customerId = HOME) =>
    its.audit.page(customerId, times, { page: 0, perPage: 10, ...query });
  const ids = async (...args: Parameters<typeof page>) => (await page(...args)).data.map(({ id }) => id);
  return { its, table, page, ids };
};

test('audit lines are listed per customer, newest first, with their times', async () => {
  const { page, ids } = await createWorld(lineAt(now), lineAt(now + 1));
  expect(await ids()).toEqual([idAt(now + 1), idAt(now)]);
  expect((await page()).data[0]).toMatchObject({ date: now + 1, details: [], operation: 'createRule' });
  expect(await ids({}, FOREVER, HOME + 1)).toEqual([]);
});

test('an audit line is kept for 400 days unless the change was never made', async () => {
  const { table, its, ids } = await createWorld(lineAt(now + 1), lineAt(now));
  const ttl = Math.ceil((now + 1 + AUDIT_RETENTION) / 1_000);
  expect(await table.get(items.auditLine({ customerId: HOME, lineId: idAt(now + 1) }))).toMatchObject({ ttl });
  await its.auditLines.takeBack(HOME, idAt(now + 1));
  expect(await ids()).toEqual([idAt(now)]);
});

test('audit lines can be filtered by an inclusive time range', async () => {
  const { ids } = await createWorld(...[0, 1, 2, 3].map((n) => lineAt(now + n, {}, 255)));
  expect(await ids({}, [now + 1, now + 2])).toEqual([idAt(now + 2, 255), idAt(now + 1, 255)]);
  expect(await ids({}, [now + 2, now + 1])).toEqual([]);
});

test.each([
  ['actorId', '7', { actor: { kind: 'user', id: '8' } }],
  ['operation', 'createRule', { operation: 'deleteRule' }],
  ['objectKind', 'rule', { object: { kind: 'bot', id: '40' } }],
  ['objectId', '40', { object: { kind: 'rule', id: '41' } }],
  ['refused', false, { refused: true }],
])('audit lines can be selected by %s', async (field, value, other) => {
  const { ids } = await createWorld(lineAt(now), lineAt(now + 1, other));
  expect(await ids({ [field]: value })).toEqual([idAt(now)]);
  expect(await ids()).toHaveLength(2);
});

test('audit lines are listed in pages that can continue after any line', async () => {
  const { ids, page } = await createWorld(...[0, 1, 2, 3, 4].map((n) => lineAt(now + n)));
  expect(await ids({ page: 1, perPage: 2 })).toEqual([idAt(now + 2), idAt(now + 1)]);
  expect(await page({ page: 1, perPage: 2 })).toMatchObject({ total: 5, isWhole: true });
  expect(await ids({ after: idAt(now + 2) })).toEqual([idAt(now + 1), idAt(now)]);
  expect(await ids({ after: idAt(now + 9) }, [now, now + 1])).toEqual([idAt(now + 1), idAt(now)]);
  expect(await ids({ after: idAt(now - 1) }, [now, now + 1])).toEqual([]);
  expect(await ids({ after: idAt(now) }, [now, now + 1])).toEqual([]);
});

describe('refused requests', () => {
  const who = { customerId: HOME, actor: 'user 7' };
  const createRefusals = async () => {
    const { its, table } = memoryStore();
    let refused = 0;
    const refuse = (time: number, fields: object = {}, by = who) => {
      refused += 1;
      return its.refusals.record(by, some(lineAt(time, { refused: true, ...fields }, refused)), time);
    };
    const counts = async (customerId = HOME) => {
      const lines = await table.queryAll<{ count: number; operation: string }>({
        pk: items.auditLine.pk({ customerId }),
      });
      return lines.map(({ count }) => count);
    };
    return { its, table, refuse, counts };
  };
  test('identical refused requests within a minute share one audit line with a count', async () => {
    const { refuse, counts } = await createRefusals();
    for (const time of [now, now + 1, now + 59_999]) await refuse(time);
    expect(await counts()).toEqual([3]);
    await refuse(now + 60_000);
    expect(await counts()).toEqual([3, 1]);
    await refuse(now + 60_001);
    expect(await counts()).toEqual([3, 2]);
  });

  test('refused requests that differ in operation, object, actor or customer get separate audit lines', async () => {
    const { refuse, counts } = await createRefusals();
    await refuse(now);
    await refuse(now, { operation: 'deleteRule' });
    await refuse(now, { object: { kind: 'rule', id: '41' } });
    await refuse(now, {}, { ...who, actor: 'user 8' });
    expect(await counts()).toEqual([1, 1, 1, 1]);
    await refuse(now, {}, { ...who, customerId: HOME + 1 });
    expect([await counts(), await counts(HOME + 1)]).toEqual([[1, 1, 1, 1], [1]]);
  });

  test('refused requests by one actor add at most 11 audit lines a minute', async () => {
    const { refuse, counts } = await createRefusals();
    for (let n = 0; n < 14; n++) await refuse(now + n, { operation: `operation ${n}` });
    expect(await counts()).toEqual([...Array(10).fill(1), 4]);
    await refuse(now + 20, { operation: 'operation 0' });
    expect(await counts()).toEqual([2, ...Array(9).fill(1), 4]);
    await refuse(now + 21, {}, { ...who, actor: 'user 8' });
    expect(await counts()).toHaveLength(12);
    await refuse(now + 60_000, { operation: 'operation 99' });
    expect(await counts()).toHaveLength(13);
  });

  test('simultaneous refused requests are all counted', async () => {
    const { refuse, counts } = await createRefusals();
    await Promise.all(Array.from({ length: 6 }, () => refuse(now)));
    expect(await counts()).toEqual([6]);
  });

  test('refused requests are kept as long as other audit lines, but counters expire after a minute', async () => {
    const { refuse, table } = await createRefusals();
    await refuse(now + 1);
    const [line] = await table.queryAll<{ ttl: number }>({ pk: items.auditLine.pk({ customerId: HOME }) });
    expect(line?.ttl).toBe(Math.ceil((now + 1 + AUDIT_RETENTION) / 1_000));
  });

  test('refused requests get a new audit line after an erasure deleted the old one', async () => {
    const { refuse, its, counts } = await createRefusals();
    await refuse(now);
    await its.auditLines.takeBack(HOME, idAt(now, 1));
    await refuse(now + 1);
    expect(await counts()).toEqual([1]);
  });
});

describe('watch reports', () => {
  const stored = (date: number) => some({ watch: { date }, opened: [], onDuty: [] });
  test('a watch report can be replaced by only one process at a time', async () => {
    const { its, table } = memoryStore();
    const { watches } = its;
    expect(await watches.get(HOME)).toBeNull();
    expect([await watches.put(HOME, stored(now), null), await watches.put(HOME, stored(now), null)]).toEqual([
      true,
      false,
    ]);
    const first = await watches.get(HOME);
    expect(first).toEqual({ watch: { date: now }, opened: [], onDuty: [], revision: 1 });
    expect([await watches.put(HOME, stored(now + 1), first), await watches.put(HOME, stored(now + 2), first)]).toEqual([
      true,
      false,
    ]);
    expect(await watches.get(HOME)).toMatchObject({ watch: { date: now + 1 }, revision: 2 });
    const ttl = Math.ceil((now + 1) / 1_000) + 30 * 86_400;
    expect(await table.get(items.watch({ customerId: HOME }))).toMatchObject({ ttl });
    expect(await watches.get(HOME + 1)).toBeNull();
  });

  test('a watch report is cached for a minute', async () => {
    const { watches } = memoryStore().its;
    await watches.put(HOME, stored(now), null);
    const latest = async (time: number) => (await watches.latest(HOME, time))?.watch.date;
    expect(await latest(now)).toBe(now);
    await watches.put(HOME, stored(now + 50_000), await watches.get(HOME));
    expect([await latest(now + 59_999), await latest(now + 60_000)]).toEqual([now, now + 50_000]);
    expect(await watches.latest(HOME + 1, now)).toBeNull();
  });

  test('a watch report is due after changes until the latest change has been processed', async () => {
    const { its, table } = memoryStore();
    const { watches } = its;
    await watches.noteChange(HOME, now);
    await watches.noteChange(HOME, now + 1);
    expect(await watches.changedCustomers()).toEqual([{ customerId: HOME, at: now + 1 }]);
    const ttl = Math.ceil((now + 1) / 1_000) + 3_600;
    expect(await table.get(items.changedCustomer({ customerId: HOME }))).toMatchObject({ ttl });
    await watches.endChange({ customerId: HOME, at: now });
    expect(await watches.changedCustomers()).toHaveLength(1);
    await watches.endChange({ customerId: HOME, at: now + 1 });
    expect(await watches.changedCustomers()).toEqual([]);
  });
});
