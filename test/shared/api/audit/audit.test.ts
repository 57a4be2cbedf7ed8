import { describe, expect, test } from 'vitest';
import { bots } from '#functions/api/bots/contract.ts';
import { withAudit } from '#shared/api/audit/audit.ts';
import { ApiError } from '#shared/api/errors.ts';
import { newExchange } from '#shared/api/http/exchange.ts';
import { markDoubtful, runEndable } from '#shared/concurrency/endable-work.ts';
import { auditedTable } from '#shared/store/engine/audited-table.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { items } from '#shared/store/table.ts';

const bot = items.bot({ customerId: 7, botId: 3 });
const rate = items.rate({ subject: 's', window: 'tries' });

/** Runs a request and returns its writes in order. `respond` returns the table response to a write. */
const runCall = async (
  act: (table: Table) => Promise<unknown>,
  respond: (key: string) => number[] | null = () => null,
) => {
  const done: string[] = [];
  const nameOf = (write: Write): string => {
    if ('put' in write) return items.auditLine.read(write.put) ? `line of ${write.put.pk}` : write.put.sk;
    if ('remove' in write) return items.auditLine.read(write.remove) ? 'no line' : write.remove.sk;
    return 'other';
  };
  const table = {
    write: async (...writes: Write[]) => {
      // Exposes callers that do not await.
      await new Promise(setImmediate);
      const [name = ''] = writes.map(nameOf);
      const failed = respond(name);
      if (!failed) done.push(name);
      return failed;
    },
    update: async (key: { sk: string }) => {
      await new Promise(setImmediate);
      if (respond(key.sk)) return null;
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
  const result = await runEndable(() => withAudit(exchange, runtime as never, () => act(auditedTable(table)))).catch(
    (error) => error,
  );
  return { done, result };
};

const fail = () => {
  throw new ApiError('bot_not_found');
};
const LINE = 'line of C#7#AUDIT';

describe('audit lines', () => {
  test('writes one audit line per request, before the first change', async () => {
    const { done } = await runCall(async (table) => {
      await Promise.all([table.update(bot, {} as never), table.write({ put: bot })]);
      await table.write({ put: bot });
    });
    expect(done).toEqual([LINE, bot.sk, bot.sk, bot.sk]);
  });

  test('does not write an audit line for a request that changes nothing', async () => {
    expect((await runCall(async () => 1)).done).toEqual([]);
    expect((await runCall((table) => table.write({ put: rate }))).done).toEqual([rate.sk]);
  });

  test('does not make a change if the audit line cannot be written', async () => {
    const { done, result } = await runCall(
      (table) => table.write({ put: bot }),
      (name) => {
        if (name === LINE) throw new TableUnavailable('gone');
        return null;
      },
    );
    expect(done).toEqual([]);
    expect(result).toBeInstanceOf(TableUnavailable);
  });

  test('removes the audit line if the request changed nothing', async () => {
    const refused = (name: string) => (name === bot.sk ? [0] : null);
    expect((await runCall((table) => table.write({ put: bot }).then(fail), refused)).done).toEqual([LINE, 'no line']);
    expect((await runCall((table) => table.update(bot, {} as never), refused)).done).toEqual([LINE, 'no line']);
  });

  test('keeps the audit line of a rejected request that had already changed something', async () => {
    expect((await runCall((table) => table.write({ put: bot }).then(fail))).done).toEqual([LINE, bot.sk]);
  });

  test('keeps the audit line if it is unclear whether anything changed', async () => {
    const dead = (name: string) => {
      if (name === bot.sk) throw new TableUnavailable('no response');
      return null;
    };
    expect((await runCall((table) => table.write({ put: bot }), dead)).done).toEqual([LINE]);
    // This holds even if the handler turns the error into a refusal.
    expect((await runCall((table) => table.write({ put: bot }).catch(fail), dead)).done).toEqual([LINE]);
    // The response to the first attempt was lost, so the second attempt finds the change already made.
    const second = (name: string) => {
      if (name !== bot.sk) return null;
      markDoubtful();
      return [0];
    };
    expect((await runCall((table) => table.write({ put: bot }).then(fail), second)).done).toEqual([LINE]);
  });

  test('writes a removed audit line again if the request makes a late change', async () => {
    const responded = Promise.withResolvers<void>();
    const refused = [[0]];
    let late: Promise<unknown> = Promise.resolve();
    const { done } = await runCall(
      async (table) => {
        late = responded.promise.then(() => table.write({ put: bot }));
        await table.write({ put: bot });
        return fail();
      },
      (name) => (name === bot.sk ? (refused.pop() ?? null) : null),
    );
    expect(done).toEqual([LINE, 'no line']);
    responded.resolve();
    await late;
    expect(done).toEqual([LINE, 'no line', LINE, bot.sk]);
  });
});
