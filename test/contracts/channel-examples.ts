import { hashSecret } from '#shared/auth/tokens.ts';
import { codeHashInput } from '#shared/domain/people/channel.ts';
import { store } from '#shared/store/store.ts';
import type { Example } from './examples.ts';
import type { World } from './world.ts';

const nothing = (): Example => ({});
let last = 0;

/** Stores a channel for our user, to be verified with `code`. */
const storeChannel = async (
  { cloud, ours }: World,
  channel: { by: 'sms' | 'telegram'; address: string },
  code: string,
) => {
  const proof = { hash: hashSecret(codeHashInput(ours.userId, channel, code)), expires: Date.now() + 60_000 };
  await store(cloud.runtime.table).channels.put(ours, { ...channel, provenDate: null }, proof);
};

/** Examples for channel and duty operations. */
export const channelExamples = {
  getChannelKinds: nothing,
  listChannels: nothing,
  setChannel: () => ({ params: { by: 'email' }, body: { address: `a${++last}@example.com` } }),
  proveChannel: async (world: World) => {
    const code = '012345';
    await storeChannel(world, { by: 'telegram', address: '-1' }, code);
    return { params: { by: 'telegram' }, body: { code } };
  },
  deleteChannel: async (world: World) => {
    await storeChannel(world, { by: 'sms', address: '+491701234567' }, '0');
    return { params: { by: 'sms' } };
  },
  beginDuty: () => ({ body: { until: Date.now() + 3_600_000 } }),
  endDuty: async ({ ours }: World): Promise<Example> => {
    await ours.client.ok('PUT', '/users/me/duty', { until: Date.now() + 3_600_000 });
    return {};
  },
  listDuty: nothing,
  getRoster: nothing,
  listRosterPeople: nothing,
  setRoster: ({ ours }: World) => ({ body: [{ userId: ours.userId, days: [1, 7], from: '22:00', to: '06:00' }] }),
};
