import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeTask } from '../shared/queue/encode.ts';
import { idBeforeFirst } from '../shared/store/hits/hit-item.ts';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const text = () => metered.ledger.text();

/** Creates a home whose second fall escalates to one webhook in each of `steps` steps. */
const escalated = async (name: string, steps: number) => {
  const home = await metered.furnish(name);
  const webhookId = await home.addWebhook();
  const bot = (await home.client.ok<{ id: number }[]>('GET', '/bots'))[0]?.id ?? 0;
  const escalation = Array.from({ length: steps }, (_, at) => ({
    afterSeconds: 60 * (at + 1),
    recipients: [{ botId: bot, webhookId }],
  }));
  await home.addRules(1, [webhookId], { escalation });
  await home.say(a.fall('calling', metered.now()));
  const hitId = idBeforeFirst(home.customerId) + 2;
  const escalate = () =>
    metered.queues.timers.send(encodeTask({ type: 'escalate', customerId: home.customerId, hitId }));
  return { ...home, escalate: (afterMs: number) => metered.costOf(afterMs, async () => escalate()) };
};

describe('an escalating alarm', () => {
  test('a fall with an escalating alarm costs 1 write unit more than a fall whose alarm has no steps', async () => {
    const { say } = await escalated('yew', 2);
    expect(await say(a.fall('calling', metered.now()), 3_600_000), text()).toEqual({ read: 10.5, write: 11 });
  });

  test('an escalation costs 10.5 read and 21 write units per step, and 21.5 and 25 if no one responds', async () => {
    const { say, escalate } = await escalated('spruce', 2);
    await say(a.fall('calling', metered.now()), 3_600_000);
    expect(await escalate(60_000), text()).toEqual({ read: 10.5, write: 21 });
    expect(await escalate(60_000), text()).toEqual({ read: 10.5, write: 21 });
    expect(await escalate(60_000), text()).toEqual({ read: 21.5, write: 25 });
  });

  test('an escalation task costs 1 read unit if no step is due', async () => {
    const { say, escalate } = await escalated('cypress', 1);
    await say(a.fall('calling', metered.now()), 3_600_000);
    expect(await escalate(30_000), text()).toEqual({ read: 1, write: 0 });
    await escalate(30_000);
    expect(await escalate(30_000), text()).toEqual({ read: 1, write: 0 });
  });
});
