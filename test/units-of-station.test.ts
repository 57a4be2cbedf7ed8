import { afterAll, beforeAll, expect, test } from 'vitest';
import { consumption } from '#lib/tools/aws/cost/consumption.ts';
import { linkSensor } from './fixtures/home.ts';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** Creates a home with a screen and 30 sensors. */
const openScreen = async () => {
  const home = await metered.furnish('oak');
  await home.addRules(1, [await home.addWebhook()]);
  for (let more = 1; more < 30; more++) await linkSensor(home.client);
  let tag = '';
  return {
    ...home,
    /** Reports falls with realistic texts that end after a minute. */
    fall: async (count: number) => {
      for (let fall = 0; fall < count; fall++) {
        const start = metered.now();
        for (const status of ['calling', 'finished']) await home.say(a.fall(status, start), 60_000);
      }
    },
    /** Measures a screen request, and checks its status. */
    look: (afterMs: number, status: number) =>
      metered.costOf(afterMs, async () => {
        const path = `/customers/${home.customerId}/station`;
        const answer = await home.client.call('GET', path, undefined, { 'if-none-match': tag });
        tag = answer.headers.get('etag') ?? '';
        expect(answer.status).toBe(status);
      }),
  };
};

test('a screen request costs 2.5 read units without changes, and at most 20 with an alarm', async () => {
  const { look, fall, say } = await openScreen();
  for (const more of [0, 3, 37]) {
    await fall(more);
    await look(60_000, 200);
    // The freshly computed watch is read once a minute.
    await look(1_000, 304);
    const { read, write } = consumption.screenCall;
    for (let calls = 0; calls < 10; calls++)
      expect(await look(5_000, 304), metered.ledger.text()).toEqual({ read, write });
  }
  await say(a.fall('calling', metered.now()));
  const { read, write } = await look(5_000, 200);
  expect(write).toBe(0);
  expect(read, metered.ledger.text()).toBeLessThanOrEqual(20);
});
