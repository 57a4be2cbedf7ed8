import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

type Home = Awaited<ReturnType<EscalationWorld['furnish']>>;
type Body = { escalation: { afterSeconds: number; recipients: { botId: number; webhookId: string }[] }[] };
let world: EscalationWorld;
let home: Home;
let other: Home;
beforeAll(async () => {
  world = await createEscalationWorld();
  [home, other] = await Promise.all([world.furnish(3), world.furnish(2)]);
});
afterAll(() => world.stop());

describe('escalation steps', () => {
  test('updating a rule replaces its escalation steps', async () => {
    const body = home.bodyOf('a', { 30: 'b', 60: 'cb' }, { repeatSeconds: 300, untilAcknowledged: false });
    const { id } = await home.client.ok<{ id: number }>('POST', '/rules', body);
    expect(await home.client.ok('GET', `/rules/${id}`)).toMatchObject(body);
    const [page] = await home.client.ok<{ data: object[] }[]>('GET', '/rules');
    expect(page?.data).toMatchObject([body]);
    const plain = home.bodyOf('a', {});
    await home.client.ok('PUT', `/rules/${id}`, plain);
    const none = { escalation: [], repeatSeconds: null, untilAcknowledged: true };
    expect(await home.client.ok('GET', `/rules/${id}`)).toMatchObject({ ...plain, ...none });
    await home.client.ok('DELETE', `/rules/${id}`);
  });

  test.each<[string, string, (body: Body) => void]>([
    [
      "another customer's webhook",
      'escalation.1.recipients.0.webhookId',
      ({ escalation }) => {
        const [stranger] = (other.bodyOf('a', { 30: 'b' }) as Body).escalation[0]?.recipients ?? [];
        Object.assign(escalation[1]?.recipients[0] ?? {}, stranger);
      },
    ],
    [
      'a webhook of another bot',
      'escalation.0.recipients.0.botId',
      ({ escalation }) =>
        Object.assign(escalation[0]?.recipients[0] ?? {}, { botId: escalation[1]?.recipients[0]?.botId }),
    ],
    [
      'steps in the wrong order',
      'escalation.1.afterSeconds',
      ({ escalation }) => Object.assign(escalation[1] ?? {}, { afterSeconds: 30 }),
    ],
  ])('returns 400 and the path for %s in an escalation step', async (_, path, spoil) => {
    const body = home.bodyOf('a', { 30: 'b', 60: 'c' }) as unknown as Body;
    spoil(body);
    expect(rejectedPaths(await home.client.call('POST', '/rules', body))).toEqual([400, path]);
  });

  test('an escalation step rejects a webhook whose format does not support the situation', async () => {
    const body = home.bodyOf('a', { 30: 'b' }, { situation: 'fall_finished' }) as unknown as Body;
    const { id } = await home.client.ok<{ id: number }>('POST', '/rules', body);
    const { webhookId = '' } = body.escalation[0]?.recipients[0] ?? {};
    const hook = await home.client.ok<object>('GET', `/webhooks/${webhookId}`);
    const changed = await home.client.call('PUT', `/webhooks/${webhookId}`, { ...hook, format: 'custom1' });
    expect(rejectedPaths(changed)).toEqual([400, 'format']);
    await home.client.ok('DELETE', `/rules/${id}`);
    await home.client.ok('PUT', `/webhooks/${webhookId}`, { ...hook, format: 'custom1' });
    expect(rejectedPaths(await home.client.call('POST', '/rules', body))).toEqual([
      400,
      'escalation.0.recipients.0.webhookId',
    ]);
    await home.client.ok('PUT', `/webhooks/${webhookId}`, hook);
  });

  test("deleting a bot does not affect an escalation step's other recipients", async () => {
    const gone = await world.furnish(3);
    await gone.addRule('a', { 30: 'bc' });
    await gone.fall();
    const [{ botId = 0 } = {}] = (gone.bodyOf('b', {}) as unknown as { recipients: { botId: number }[] }).recipients;
    await gone.client.ok('DELETE', `/bots/${botId}`);
    await world.pass(40);
    expect(gone.heard()).toBe('a0 c30');
    const [hit] = await gone.hits();
    expect(hit?.ruleMessages.map(({ step, wasSend }) => [step, wasSend])).toEqual([
      [0, true],
      [1, false],
      [1, true],
    ]);
  });

  test("the escalation steps of one rule can use all of a customer's webhooks", async () => {
    const many = await world.furnish(1);
    const creations = Array.from({ length: 49 }, async (_, at) => {
      const bot = await many.client.ok<{ id: number }>('POST', '/bots', { name: `n ${at}` });
      const hook = { name: 'n', url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false, botId: bot.id };
      const webhook = await many.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, authMethod: 'bearer' });
      return { botId: bot.id, webhookId: webhook.id };
    });
    const recipients = await Promise.all(creations);
    const escalation = [30, 60, 90].map((afterSeconds, at) => ({
      afterSeconds,
      recipients: recipients.slice(20 * at, 20 * at + 20),
    }));
    const rule = await many.addRule('a', {}, { escalation });
    const body = many.bodyOf('a', {}, { escalation, name: 'n' });
    expect(await many.client.ok('PUT', `/rules/${rule.id}`, body)).toMatchObject({ escalation });
  });
});
