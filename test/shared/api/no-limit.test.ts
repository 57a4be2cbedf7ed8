import { expect, test } from 'vitest';
import { clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

test('the remaining rate limit never reaches 0 if there is no limit', async () => {
  const cloud = await startTestCloud();
  try {
    const { headers } = await clientOf(cloud.url).call('GET', '/server/config');
    const values = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    expect(values).toEqual(['1000000', '1000000', '0']);
  } finally {
    await cloud.stop();
  }
});
