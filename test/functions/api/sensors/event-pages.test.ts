import { expect, test } from 'vitest';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';

type Page = { total: number; data: { raw: { n: number } | null }[] };
/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_LAMBDA_RESPONSE = 6 * 1_024 * 1_024;

test('a page of 200 events with long messages fits into a Lambda response', async () => {
  const world = await createDeliveryWorld();
  const home = await world.furnish();
  // The longest messages shown in a list, made of characters that JSON escapes. Lambda escapes them twice.
  const message = (n: number) => ({ type: 99, n, text: '\\'.repeat((16_384 - 60) / 2) });
  for (let start = 0; start < 200; start += 50)
    await home.say(JSON.stringify(Array.from({ length: 50 }, (_, at) => message(start + at))));

  const path = `/sensors/${home.sensorId}/events`;
  const { headers, text } = await home.client.call('GET', `${path}?perPage=200`);
  const answer = { statusCode: 200, headers: Object.fromEntries(headers), body: text };
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_LAMBDA_RESPONSE);
  const shown = (JSON.parse(text) as Page[])[0]?.data.map(({ raw }) => raw !== null) ?? [];
  expect(shown).toHaveLength(200);
  // The newest events have a message.
  expect(shown.slice(0, 160)).toEqual(Array(160).fill(true));
  expect(shown.at(-1)).toBe(false);

  const [page] = await home.client.ok<Page[]>('GET', `${path}?perPage=160`);
  expect(page?.data.filter(({ raw }) => raw === null)).toEqual([]);
  await world.stop();
});
