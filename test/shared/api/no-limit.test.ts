import { expect, test } from 'vitest';
import { clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

test('with the limit of calls off, answers name no limit that a client could stop at', async () => {
  const cloud = await startTestCloud();
  try {
    const { headers } = await clientOf(cloud.url).call('GET', '/server/config');
    const told = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    expect(told).toEqual(['1000000', '1000000', '0']);
  } finally {
    await cloud.stop();
  }
});
