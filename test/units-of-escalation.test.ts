import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encode } from '../shared/queue/encode.ts';
import { firstId } from '../shared/store/hits/hit-item.ts';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const text = () => metered.ledger.text();

/** A home whose second fall escalates to one webhook in each of so many steps. */
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
  const hitId = firstId(home.customerId) + 2;
  const look = () => metered.queues.timers.send(encode({ type: 'escalate', customerId: home.customerId, hitId }));
  return { ...home, look: (afterMs: number) => metered.costOf(afterMs, async () => look()) };
};

describe('an alarm that escalates costs', () => {
  test('1 write more as a fall than one without steps', async () => {
    const { say } = await escalated('yew', 2);
    expect(await say(a.fall('calling', metered.now()), 3_600_000), text()).toEqual({ read: 10.5, write: 11 });
  });

  test('10.5 read and 21 write for a step with a recipient, delivered; the last one 10.5 and 18', async () => {
    const { say, look } = await escalated('spruce', 2);
    await say(a.fall('calling', metered.now()), 3_600_000);
    expect(await look(60_000), text()).toEqual({ read: 10.5, write: 21 });
    expect(await look(60_000), text()).toEqual({ read: 10.5, write: 18 });
  });

  test('1 read for a look that comes early, or after the last step', async () => {
    const { say, look } = await escalated('cypress', 1);
    await say(a.fall('calling', metered.now()), 3_600_000);
    expect(await look(30_000), text()).toEqual({ read: 1, write: 0 });
    await look(30_000);
    expect(await look(30_000), text()).toEqual({ read: 1, write: 0 });
  });
});
