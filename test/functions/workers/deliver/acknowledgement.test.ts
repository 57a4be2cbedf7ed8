import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { createCrash } from '#test/fixtures/crash.ts';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';

type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
const by =
  (name: string, status = 200, charset: 'utf8' | 'latin1' = 'utf8'): Parameters<World['answerWith']>[0] =>
  (response) =>
    void response.writeHead(status, { 'X-Acknowledged-By': Buffer.from(name, charset).toString('latin1') }).end();

const hitsOf = async (home: Awaited<ReturnType<World['furnish']>>) => {
  const [page] = await home.client.ok<{ data: RuleHit[] }[]>('GET', `/customers/${home.customerId}/rule-hits`);
  return page?.data ?? [];
};

describe("X-Acknowledged-By in a receiver's response", () => {
  let world: World;
  let home: Awaited<ReturnType<World['furnish']>>;
  beforeAll(async () => {
    world = await createDeliveryWorld();
  });
  beforeEach(async () => {
    home = await world.furnish();
  });
  afterAll(() => world.stop());

  const namedBy = async (answer: ReturnType<typeof by>) => {
    world.answerWith(answer);
    await home.fall();
    return (await hitsOf(home))[0]?.acknowledgement ?? null;
  };

  test.each([
    ['as it was sent', 'Anna Meier', 'Anna Meier'],
    ['in UTF-8', 'Zoë Öztürk 🚑', 'Zoë Öztürk 🚑'],
    ['cut to 64 characters', `${'🚑'.repeat(70)}`, '🚑'.repeat(64)],
    ['without control characters', 'Anna\tMeier', 'Anna Meier'],
    ['without non-characters', 'Anna\uffff', 'Anna'],
  ])('X-Acknowledged-By acknowledges the hit with the name %s', async (_, header, name) => {
    expect(await namedBy(by(header))).toEqual({ userId: null, name, date: expect.any(Number) });
  });

  test('X-Acknowledged-By acknowledges the hit with a Latin-1 name', async () => {
    expect(await namedBy(by('Jürgen', 204, 'latin1'))).toMatchObject({ name: 'Jürgen' });
  });

  test('X-Acknowledged-By adds an audit entry', async () => {
    await namedBy(by('Anna'));
    const [delivery] = (await home.list()).data;
    const [hit] = await hitsOf(home);
    const query = `operation=acknowledgeRuleHit&objectId=${hit?.id}`;
    const [audit] = await home.client.ok<{ data: object[] }[]>('GET', `/customers/${home.customerId}/audit?${query}`);
    const actor = { kind: 'receiver', id: home.at.split('/').at(-1), name: 'Anna' };
    expect(audit?.data).toMatchObject([{ actor, address: '127.0.0.1', requestId: delivery?.id, refused: false }]);
  });

  test.each([
    ['without a name', by('')],
    ['with a blank name', by('  ')],
    ['in a 500 response', by('Anna', 500)],
    ['in a redirect', by('Anna', 302)],
  ])('X-Acknowledged-By %s does not acknowledge the hit', async (_, answer) => {
    expect(await namedBy(answer)).toBeNull();
  });

  test('X-Acknowledged-By does not replace an existing acknowledgement', async () => {
    const first = await namedBy(by('Anna'));
    const [{ id = '' } = {}] = (await home.list()).data;
    world.answerWith(by('Ben'));
    await home.client.ok('POST', `${home.at}/deliveries/${id}/redeliver`);
    await world.idle();
    expect((await hitsOf(home))[0]?.acknowledgement).toEqual(first);
    const path = `/customers/${home.customerId}/rule-hits/${(await hitsOf(home))[0]?.id}/acknowledgement`;
    await home.client.ok('DELETE', path);
    await home.client.ok('POST', `${home.at}/deliveries/${id}/redeliver`);
    await world.idle();
    expect((await hitsOf(home))[0]?.acknowledgement).toMatchObject({ name: 'Ben' });
  });

  test('X-Acknowledged-By is ignored for customer webhooks, because they have no hit', async () => {
    const hook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...hook, isCustomerHook: true, botId: null });
    expect(await namedBy(by('Anna'))).toBeNull();
  });
});

test('acknowledges a hit only once, even if the process dies afterwards', async () => {
  const death = createCrash();
  const world = await createDeliveryWorld(death.options);
  const home = await world.furnish();
  world.answerWith(by('Anna'));
  await home.fall();
  death.at('deliver.acknowledged');
  await home.fall();
  await world.pass(60_000);
  await world.pass(60_000);
  expect(death.isOver()).toBe(true);
  expect((await hitsOf(home)).map(({ acknowledgement }) => acknowledgement?.name)).toEqual(['Anna', 'Anna']);
  const events = `/sensors/${home.sensorId}/events?perPage=200`;
  const [page] = await home.client.ok<{ data: { type: string }[] }[]>('GET', events);
  expect(page?.data.filter(({ type }) => type === 'alarm')).toHaveLength(2);
  await world.stop();
});
