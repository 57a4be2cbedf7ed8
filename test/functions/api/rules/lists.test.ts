import { afterAll, beforeAll, expect, test } from 'vitest';
import { consumers } from '#functions/index.ts';
import { sweep } from '#functions/workers/sweep/contract.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { isStoreCall, type Use } from '#shared/runtime/capabilities.ts';
import { accessesOf } from '#shared/store/access-pattern.ts';
import { accessPatterns } from '#shared/store/access-patterns.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger } from '#test/bench/meter.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome } from '#test/fixtures/home.ts';

type Rule = { id: number; name: string; title: string; updateDate: number };
type Page = { total: number; data: Rule[] };

const COUNT = 500;
const ledger = createLedger();
let cloud: Cloud;
let client: Client;
let customerId: number;
let first: Rule;
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: unscheduled,
    meter: ledger.meter,
    wrap: ledger.wrap,
  });
  const home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  ({ client, customerId } = home);
  const { bot, webhook, rule } = await createAlarm(client, 'https://127.0.0.1:9/');
  first = await client.ok<Rule>('GET', `/rules/${rule.id}`);
  // Strings at maximum length.
  const texts = { name: 'ü'.repeat(60), title: 'ü'.repeat(128), message: 'ü'.repeat(512) };
  const { rules } = store(cloud.runtime.table);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  for (let id = first.id + 1; id < first.id + COUNT; id++) {
    const names = { ...texts, name: `${texts.name}${String(id).padStart(4, '0')}`, recipients, isEnabled: false };
    await rules.create(
      { ...(first as never as Parameters<typeof rules.create>[0]), ...names, id, customerId },
      {
        rules: COUNT,
        rulesOfOneSituation: 50,
      },
    );
  }
});
afterAll(() => cloud.stop());

const list = async (query: string) => {
  ledger.clear();
  const [page] = await client.ok<Page[]>('GET', `/rules?${query}`);
  return { ...(page as Page), read: ledger.total().read };
};

test('listing 500 rules costs at most 35 read units, plus 30 for a page of 30', async () => {
  const ofOne = await list('perPage=1');
  const ofThirty = await list('perPage=30');
  expect([ofOne.total, ofOne.data.length, ofThirty.data.length]).toEqual([COUNT, 1, 30]);
  expect(ofOne.read).toBeLessThanOrEqual(35);
  expect(ofThirty.read - ofOne.read).toBeLessThanOrEqual(30);
});

test('listing or searching rules never reads a partition that alarms depend on', async () => {
  const partition = `query ${items.wholeRule.pk.template.replace('{customerId}', '*')}`;
  for (const query of ['perPage=200', 'searchText=fall', 'sortBy=desc(updateDate)']) {
    await list(query);
    // The request's reads, except those for authentication.
    const own = Object.keys(ledger.lines()).filter((name) => !/^get (account|session)$/.test(name));
    expect(own).toContain(partition);
    expect([partition, 'getAll wholeRule']).toEqual(expect.arrayContaining(own));
  }
  const kinds = Object.entries(items).filter(([, { pk }]) => pk.template === items.wholeRule.pk.template);
  expect(kinds.map(([kind]) => kind)).toEqual(['wholeRule', 'listedRule']);
  const alarming = consumers.filter(({ name }) => name !== 'data-jobs');
  const pipeline = [...alarming, sweep].flatMap(({ uses }) => uses as readonly Use[]).filter(isStoreCall);
  const read = pipeline.flatMap((call) => accessesOf(accessPatterns[call])).map(({ partition }) => partition);
  expect(read).toContain(items.rule.pk.template);
  expect(read).not.toContain(items.wholeRule.pk.template);
});

test("the rule list's pages contain each rule once, in order", async () => {
  for (const sortBy of ['asc(name)', 'desc(id)']) {
    const pages = await Promise.all(
      [0, 1, 2].map((page) => client.ok<Page[]>('GET', `/rules?perPage=200&page=${page}&sortBy=${sortBy}`)),
    );
    const all = pages.flatMap(([page]) => page?.data ?? []);
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(COUNT);
    const expected = Array.from({ length: COUNT }, (_, at) => first.id + at);
    expect(ids).toEqual(sortBy === 'desc(id)' ? expected.toReversed() : expected);
    expect(all.find(({ id }) => id === first.id)).toEqual(first);
  }
});

test('the rule list shows new, renamed and deleted rules immediately', async () => {
  await client.ok('DELETE', `/rules/${first.id + 1}`);
  const { id, updateDate: _, ...rule } = first;
  const made = await client.ok<Rule>('POST', '/rules', { ...rule, name: 'a new one', isEnabled: false });
  expect((await list('perPage=1')).data).toEqual([made]);
  const renamed = await client.ok<Rule>('PUT', `/rules/${made.id}`, { ...made, name: 'zz', title: 'needle' });
  expect((await list('perPage=1&sortBy=desc(updateDate)')).data).toEqual([renamed]);
  expect((await list('perPage=2')).data.map(({ name }) => name)).not.toContain('a new one');
  expect((await list('searchText=NEEDLE')).data).toEqual([renamed]);
  await client.ok('DELETE', `/rules/${made.id}`);
  const left = await list('perPage=1&sortBy=desc(id)');
  expect([left.total, left.data[0]?.id]).toEqual([COUNT - 1, id + COUNT - 1]);
});
