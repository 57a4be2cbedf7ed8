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

/** Creates a home with a screen and 30 sensors, one of which reported falls with realistic texts. */
const openScreen = async (name: string, falls: number) => {
  const home = await metered.furnish(name);
  await home.addRules(1, [await home.addWebhook()]);
  for (let more = 1; more < 30; more++) await linkSensor(home.client);
  for (let fall = 0; fall < falls; fall++) {
    const start = metered.now();
    for (const status of ['calling', 'finished']) await home.say(a.fall(status, start), 60_000);
  }
  let tag = '';
  const look = (afterMs: number, status: number) =>
    metered.costOf(afterMs, async () => {
      const path = `/customers/${home.customerId}/station`;
      const answer = await home.client.call('GET', path, undefined, { 'if-none-match': tag });
      tag = answer.headers.get('etag') ?? '';
      expect(answer.status).toBe(status);
    });
  return { ...home, look };
};

test('a screen request without news costs 2.5 read units and no write units, however many falls there were', async () => {
  for (const falls of [0, 3, 40]) {
    const { look } = await openScreen(`oak-with-${falls}-falls`, falls);
    await look(60_000, 200);
    // The freshly computed watch is read once a minute.
    await look(1_000, 304);
    const { read, write } = consumption.screenCall;
    for (let calls = 0; calls < 10; calls++)
      expect(await look(5_000, 304), metered.ledger.text()).toEqual({ read, write });
  }
}, 60_000);

test('a screen request showing an alarm costs at most 20 read units in a home with 40 earlier falls', async () => {
  const { look, say } = await openScreen('linden', 40);
  await look(60_000, 200);
  await say(a.fall('calling', metered.now()));
  const { read, write } = await look(5_000, 200);
  expect(write).toBe(0);
  expect(read, metered.ledger.text()).toBeLessThanOrEqual(20);
}, 60_000);
