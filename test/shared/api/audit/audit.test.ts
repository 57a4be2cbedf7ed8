import { describe, expect, test } from 'vitest';
import { bots } from '#functions/api/bots/contract.ts';
import { audited } from '#shared/api/audit/audit.ts';
import { ApiError } from '#shared/api/errors.ts';
import { newExchange } from '#shared/api/http/exchange.ts';
import { endable, noteDoubt } from '#shared/concurrency/endable.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { notedTable } from '#shared/store/engine/noted-table.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { items } from '#shared/store/table.ts';

const bot = items.bot({ customerId: 7, botId: 3 });
const rate = items.rate({ subject: 's', window: 'tries' });

/** What is done, in its order, in a call of a table: its answers are given by what is written. */
const runOf = async (
  act: (table: Table) => Promise<unknown>,
  answer: (key: string) => number[] | null = () => null,
) => {
  const done: string[] = [];
  const nameOf = (write: Write): string => {
    if ('put' in write) return items.auditLine.read(write.put) ? `line of ${write.put.pk}` : write.put.sk;
    if ('remove' in write) return items.auditLine.read(write.remove) ? 'no line' : write.remove.sk;
    return 'other';
  };
  const table = {
    write: async (...writes: Write[]) => {
      // Whoever does not wait is overtaken here.
      await new Promise(setImmediate);
      const [name = ''] = writes.map(nameOf);
      const failed = answer(name);
      if (!failed) done.push(name);
      return failed;
    },
    update: async (key: { sk: string }) => {
      await new Promise(setImmediate);
      if (answer(key.sk)) return null;
      done.push(key.sk);
      return {};
    },
  } as unknown as Table;
  const exchange = { ...newExchange({} as never, 'r'), name: 'updateBot', operation: bots.operations.updateBot };
  const runtime = {
    table,
    now: Date.now,
    random: (n: number) => new Uint8Array(n),
    settings: { TRUSTED_PROXY_SECRET: '' },
  };
  const result = await endable(() => audited(exchange, runtime as never, () => act(notedTable(table)))).catch(
    (error) => error,
  );
  return { done, result };
};

const fail = () => {
  throw new ApiError('bot_not_found');
};
const LINE = 'line of C#7#AUDIT';

describe('the line of a change', () => {
  test('is kept before the first write, once, and stays', async () => {
    const { done } = await runOf(async (table) => {
      await Promise.all([table.update(bot, {} as never), table.write({ put: bot })]);
      await table.write({ put: bot });
    });
    expect(done).toEqual([LINE, bot.sk, bot.sk, bot.sk]);
  });

  test('is not there without a write, or for a count of calls', async () => {
    expect((await runOf(async () => 1)).done).toEqual([]);
    expect((await runOf((table) => table.write({ put: rate }))).done).toEqual([rate.sk]);
  });

  test('if it cannot be kept, nothing is changed', async () => {
    const { done, result } = await runOf(
      (table) => table.write({ put: bot }),
      (name) => {
        if (name === LINE) throw new TableUnavailable('gone');
        return null;
      },
    );
    expect(done).toEqual([]);
    expect(result).toBeInstanceOf(TableUnavailable);
  });

  test('is taken back when nothing was changed, whether the call was refused or not', async () => {
    const refused = (name: string) => (name === bot.sk ? [0] : null);
    expect((await runOf((table) => table.write({ put: bot }).then(fail), refused)).done).toEqual([LINE, 'no line']);
    expect((await runOf((table) => table.update(bot, {} as never), refused)).done).toEqual([LINE, 'no line']);
  });

  test('stays when something was changed before the call was refused', async () => {
    expect((await runOf((table) => table.write({ put: bot }).then(fail))).done).toEqual([LINE, bot.sk]);
  });

  test('stays when nobody knows whether something was changed', async () => {
    const dead = (name: string) => {
      if (name === bot.sk) throw new TableUnavailable('no answer');
      return null;
    };
    expect((await runOf((table) => table.write({ put: bot }), dead)).done).toEqual([LINE]);
    // Even when the handler makes a refusal of it.
    expect((await runOf((table) => table.write({ put: bot }).catch(fail), dead)).done).toEqual([LINE]);
    // The answer to the first try was lost: the second one finds the change of the first.
    const second = (name: string) => {
      if (name !== bot.sk) return null;
      noteDoubt();
      return [0];
    };
    expect((await runOf((table) => table.write({ put: bot }).then(fail), second)).done).toEqual([LINE]);
  });

  test('is kept anew for what is written after it was taken back', async () => {
    const answered = Promise.withResolvers<void>();
    const refused = [[0]];
    let late: Promise<unknown> = Promise.resolve();
    const { done } = await runOf(
      async (table) => {
        late = answered.promise.then(() => table.write({ put: bot }));
        await table.write({ put: bot });
        return fail();
      },
      (name) => (name === bot.sk ? (refused.pop() ?? null) : null),
    );
    expect(done).toEqual([LINE, 'no line']);
    answered.resolve();
    await late;
    expect(done).toEqual([LINE, 'no line', LINE, bot.sk]);
  });
});
