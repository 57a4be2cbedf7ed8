import type { Channel, ChannelCode, ChannelKind, KeptChannel, PushKey } from '#shared/domain/people/channel.ts';
import { CODE_TRIES } from '#shared/domain/people/channel.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** Users without a customer are under customer 0. */
type UserKey = { customerId: number | null; userId: number };
type StoredChannel = KeptChannel & { codeHash?: string; codeExpires?: number; tries?: number };
type TriedChannel = KeptChannel & { codeHash: string };

const channelKey = ({ customerId, userId }: UserKey, by: ChannelKind) =>
  items.channel({ customerId: customerId ?? UNASSIGNED, userId, by });

const queryChannels = (table: TableReader, { customerId, userId }: UserKey) =>
  table.queryAll<StoredChannel>({
    pk: items.channel.pk({ customerId: customerId ?? UNASSIGNED, userId }),
    beginsWith: 'CHANNEL#',
  });

const sendable = ({ by, address, subscription, undeliverableDate }: StoredChannel, key: PushKey | null): Channel[] => {
  if (by !== 'push') return [{ by, address, ...(undeliverableDate !== undefined && { undeliverableDate }) }];
  return subscription && key ? [{ by, subscription, key }] : [];
};

export const channelReads = (table: TableReader) => ({
  /** Returns a user's channels, verified or not. */
  list: async (user: UserKey): Promise<KeptChannel[]> =>
    (await queryChannels(table, user)).map(({ by, address, provenDate, undeliverableDate, undeliverableReason }) => ({
      by,
      address,
      provenDate,
      ...(undeliverableDate !== undefined && { undeliverableDate }),
      ...(undeliverableReason !== undefined && { undeliverableReason }),
    })),

  /**
   * Returns a user's verified channels, with everything needed to send, or an empty list if the user does not exist.
   */
  verifiedOf: async (user: UserKey): Promise<Channel[]> => {
    const verified = (await queryChannels(table, user)).filter(({ provenDate }) => provenDate !== null);
    const hasPush = verified.some(({ by }) => by === 'push');
    const key = hasPush ? await table.get<PushKey>(items.pushKey({})) : null;
    return verified.flatMap((channel) => sendable(channel, key && { publicKey: key.publicKey, sealed: key.sealed }));
  },
});

const channelWrites = (table: Table) => ({
  /** Replaces a user's channel, with its verification code. Returns false if the user does not exist. */
  put: async (user: UserKey, channel: KeptChannel, code: ChannelCode | null): Promise<boolean> => {
    const verification = code && { codeHash: code.hash, codeExpires: code.expires, tries: 0 };
    const failed = await table.write(
      { put: { ...channel, ...verification, ...channelKey(user, channel.by) } },
      { check: items.user({ customerId: user.customerId ?? UNASSIGNED, userId: user.userId }), where: present },
    );
    return failed === null;
  },

  /** Uses one attempt at a channel code, and returns the channel, or null if no code is valid or no attempt is left. */
  tryCode: async (user: UserKey, by: ChannelKind, now: number): Promise<TriedChannel | null> => {
    const isValid = where('#codeExpires > :now AND #tries < :limit', { now, limit: CODE_TRIES });
    const attempt = changes({ add: { tries: 1 }, if: isValid }, 'ALL_NEW');
    return (await table.update(channelKey(user, by), attempt)) as TriedChannel | null;
  },

  /**
   * Records that the code with this hash verified a channel, and uses it up. Returns false if the channel has another
   * code.
   */
  verify: async (user: UserKey, by: ChannelKind, codeHash: string, provenDate: number): Promise<boolean> => {
    const sameCode = where('#codeHash = :codeHash', { codeHash });
    const remove = ['codeHash', 'codeExpires', 'tries', 'undeliverableDate', 'undeliverableReason'];
    const verified = changes({ set: { provenDate }, remove, if: sameCode });
    return (await table.update(channelKey(user, by), verified)) !== null;
  },

  /**
   * Records that a message sent at `sentAt` (ms) did not arrive. Returns false if the channel has since been verified
   * or moved to another address, because the report is then outdated.
   */
  markUndeliverable: async (
    user: UserKey,
    by: ChannelKind,
    { sentAt, date, reason }: { sentAt: number; date: number; reason: string },
  ): Promise<boolean> => {
    const wasVerified = where('#provenDate <= :sentAt', { sentAt });
    const marked = changes({ set: { undeliverableDate: date, undeliverableReason: reason }, if: wasVerified });
    return (await table.update(channelKey(user, by), marked)) !== null;
  },

  /**
   * Records that messages to the address `from` do arrive, and that the address is now `to`. Returns false if the user
   * has replaced `from`.
   */
  recordReached: async (
    user: UserKey,
    by: ChannelKind,
    { from, to }: { from: string; to: string },
  ): Promise<boolean> => {
    const reached = changes({
      set: { address: to },
      remove: ['undeliverableDate', 'undeliverableReason'],
      if: where('#address = :from', { from }),
    });
    return (await table.update(channelKey(user, by), reached)) !== null;
  },

  /** Removes a user's channel. Returns false if it does not exist. */
  remove: async (user: UserKey, by: ChannelKind): Promise<boolean> =>
    (await table.write({ remove: channelKey(user, by), where: present })) === null,
});

export const channels = (table: Table) => ({ ...channelReads(table), ...channelWrites(table) });
