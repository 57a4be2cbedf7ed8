import { describe, expect, test } from 'vitest';
import { markDoubtful, runEndable } from '#shared/concurrency/endable-work.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { auditedTable, type Recorder, withRecorder } from '#shared/store/engine/audited-table.ts';
import { auditedBatch } from '#shared/store/engine/audited-writes.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { absent, changes, type Item, present, type Write } from '#shared/store/engine/request.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import type { WrittenChange } from '#shared/store/engine/written-change.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { some } from '#test/fixtures/store-items.ts';

const now = 1_800_000_000_000;
const bot = items.bot({ customerId: 7, botId: 3 });
const otherBot = items.bot({ customerId: 7, botId: 4 });
const rate = items.rate({ subject: 's', window: 1 });
const rename = changes({ set: { name: 'new' }, if: present }, 'ALL_NEW');

/** A table with an audited batch, the changes its lines were made for, and a look at the lines kept. */
const batchOn = (
  options: {
    canOpenGaps?: boolean;
    customerId?: number;
    readBefore?: (key: Key) => Item | undefined;
    crashAt?: string;
    wrap?: (table: Table) => Table;
  } = {},
) => {
  const {
    customerId = 7,
    canOpenGaps = false,
    readBefore = () => undefined,
    crashAt,
    wrap = (table) => table,
  } = options;
  const { table, its } = memoryStore();
  const lines: WrittenChange[] = [];
  const { writes, settle } = auditedBatch({
    table: wrap(table),
    lineFor: (changed) => {
      lines.push(changed);
      return { customerId, line: some({ id: auditIdOf(now, Buffer.alloc(6, lines.length)) }) };
    },
    readBefore,
    canOpenGaps,
    now: () => now,
    failpoint: (name) => {
      if (name === crashAt) throw new Error('crash');
    },
  });
  const kept = async () => {
    const found = await table.queryAll<{ id: string }>({ pk: items.auditLine.pk({ customerId }) });
    return found.map(({ id }) => id);
  };
  return { table, its, writes, settle, lines, kept };
};
/** The ids of the first and second line. */
const [FIRST, SECOND] = [`0${now}010101010101`, `0${now}020202020202`];

describe('audit line', () => {
  test('a crash before the first change leaves the audit line and no change', async () => {
    const { table, writes, kept } = batchOn({ crashAt: 'audit.kept' });
    await expect(writes.write({ put: bot })).rejects.toThrow('crash');
    expect(await kept()).toEqual([FIRST]);
    expect(await table.get(bot)).toBeNull();
  });

  test('a crash after the first change leaves both the audit line and the change', async () => {
    const { table, writes, kept } = batchOn({ crashAt: 'audit.changed' });
    await expect(writes.write({ put: bot })).rejects.toThrow('crash');
    expect(await kept()).toEqual([FIRST]);
    expect(await table.get(bot)).toEqual(bot);
  });

  test('a request stores one audit line, even if it writes several times in parallel', async () => {
    const { writes, settle, kept } = batchOn();
    await Promise.all([writes.write({ put: bot }), writes.write({ put: otherBot })]);
    await writes.update(bot, rename);
    await settle();
    expect(await kept()).toEqual([FIRST]);
  });

  test('an audit line describes the first write, and the item it replaces as read before', async () => {
    const before = { ...bot, name: 'old' };
    const { writes, lines } = batchOn({ readBefore: ({ sk }) => (sk === bot.sk ? before : undefined) });
    await writes.update(bot, rename);
    await writes.write({ put: otherBot });
    expect(lines).toEqual([{ customerId: 7, object: null, replaced: [{ before, after: { name: 'new' } }] }]);
  });

  test('nothing is changed if the audit line cannot be stored', async () => {
    const failing = (table: Table): Table => ({
      ...table,
      write: async (...list: Write[]) => {
        if (list.some((item) => 'put' in item && items.auditLine.read(item.put))) throw new TableUnavailable('gone');
        return table.write(...list);
      },
    });
    const { table, writes } = batchOn({ wrap: failing });
    await expect(writes.write({ put: bot })).rejects.toThrow(TableUnavailable);
    expect(await table.get(bot)).toBeNull();
  });

  test('counters and rate limits need no audit line, unless written together with something that does', async () => {
    const { table, writes, settle, kept } = batchOn({ crashAt: 'audit.changed' });
    expect(await writes.write({ put: rate })).toBeNull();
    expect(await writes.write({ put: rate, where: absent })).toEqual([0]);
    expect(await writes.update(rate, rename)).toEqual({ ...rate, name: 'new' });
    await settle();
    expect(await kept()).toEqual([]);
    await expect(writes.write({ put: rate }, { put: bot })).rejects.toThrow('crash');
    expect(await kept()).toEqual([FIRST]);
    expect(await table.get(bot)).toEqual(bot);
  });

  test('audited writes return what the table returns', async () => {
    const { writes } = batchOn();
    expect(await writes.update(bot, rename)).toBeNull();
    expect(await writes.write({ put: bot }, { put: otherBot })).toBeNull();
    expect(await writes.update(bot, rename)).toEqual({ ...bot, name: 'new' });
    expect(await writes.write({ put: rate }, { put: bot, where: absent })).toEqual([1]);
  });
});

describe('settling', () => {
  const refuse = { put: bot, where: present };

  test('the audit line of a request that changed nothing is removed', async () => {
    const { writes, settle, kept } = batchOn();
    await writes.write(refuse);
    await writes.update(bot, rename);
    expect(await kept()).toEqual([FIRST]);
    await settle();
    expect(await kept()).toEqual([]);
  });

  test.each([
    ['a write', ({ writes }: ReturnType<typeof batchOn>) => writes.write({ put: bot })],
    ['an update', ({ writes }: ReturnType<typeof batchOn>) => writes.update(bot, changes({ set: { name: 'new' } }))],
  ])('the audit line is kept if %s succeeded, whether others failed before or after', async (_, change) => {
    const batch = batchOn();
    const { writes, settle, kept } = batch;
    await writes.write(refuse);
    await change(batch);
    await writes.write({ put: bot, where: absent });
    await settle();
    expect(await kept()).toEqual([FIRST]);
  });

  test('the audit line is kept if a write got no response', async () => {
    const dead = (table: Table): Table => ({
      ...table,
      update: async () => {
        throw new TableUnavailable('no response');
      },
    });
    const { writes, settle, kept } = batchOn({ wrap: dead });
    await expect(writes.update(bot, rename)).rejects.toThrow(TableUnavailable);
    await settle();
    expect(await kept()).toEqual([FIRST]);
  });

  test('the audit line is kept if a refused write may have succeeded in an earlier attempt', async () => {
    const { writes, settle, kept } = batchOn();
    await runEndable(async () => {
      await writes.write(refuse);
      markDoubtful();
      await settle();
    });
    expect(await kept()).toEqual([FIRST]);
  });

  test('a request that writes again after its audit line was removed stores a new one', async () => {
    const { writes, settle, kept } = batchOn();
    await writes.write(refuse);
    await settle();
    await writes.write({ put: bot });
    await settle();
    expect(await kept()).toEqual([SECOND]);
  });

  test('settling a request without writes does nothing', async () => {
    const { settle, lines, kept } = batchOn();
    await settle();
    expect([lines, await kept()]).toEqual([[], []]);
  });
});

describe('changes that can open a gap in fall coverage', () => {
  const noted = async (options: Parameters<typeof batchOn>[0]) => {
    const { writes, its } = batchOn({ ...options, crashAt: 'audit.kept' });
    await expect(writes.write({ put: bot })).rejects.toThrow('crash');
    return its.watches.changedCustomers();
  };

  test('a customer is noted for a check before something changes that can open a gap', async () => {
    expect(await noted({ canOpenGaps: true })).toEqual([{ customerId: 7, at: now }]);
  });

  test('a change that cannot open a gap, or that affects no customer, does not note anything', async () => {
    expect(await noted({ canOpenGaps: false })).toEqual([]);
    expect(await noted({ canOpenGaps: true, customerId: UNASSIGNED })).toEqual([]);
  });
});

describe('audited table', () => {
  const recorderOf = () => {
    const seen: unknown[] = [];
    const recorder: Recorder = {
      noteRead: (item) => void seen.push(['read', item]),
      update: async (...args) => {
        seen.push(['update', ...args]);
        return { by: 'recorder' };
      },
      write: async (...args) => {
        seen.push(['write', ...args]);
        return [9];
      },
    };
    return { recorder, seen };
  };

  test('writes go through the recorder while it is active, and to the table otherwise', async () => {
    const { table } = memoryStore();
    const audited = auditedTable(table);
    const { recorder, seen } = recorderOf();
    const results = await withRecorder(recorder, async () => [
      await audited.write({ put: bot }, { remove: otherBot }),
      await audited.update(bot, rename),
    ]);
    expect(results).toEqual([[9], { by: 'recorder' }]);
    expect(seen).toEqual([
      ['write', { put: bot }, { remove: otherBot }],
      ['update', bot, rename],
    ]);
    expect(await table.get(bot)).toBeNull();
    expect(await audited.write({ put: bot }, { put: otherBot })).toBeNull();
    expect(await audited.update(bot, rename)).toEqual({ ...bot, name: 'new' });
    expect(await table.get(otherBot)).toEqual(otherBot);
    expect(seen).toHaveLength(2);
  });

  test('the recorder gets each item read by key; a missing item and a read outside it are not recorded', async () => {
    const { table } = memoryStore();
    await table.write({ put: bot });
    const audited = auditedTable(table);
    const { recorder, seen } = recorderOf();
    expect(await audited.get(bot)).toEqual(bot);
    expect(seen).toEqual([]);
    const results = await withRecorder(recorder, async () => [
      await audited.get(bot),
      await audited.get(otherBot),
      await audited.queryAll(bot),
    ]);
    expect(results).toEqual([bot, null, [bot]]);
    expect(seen).toEqual([['read', bot]]);
  });
});
