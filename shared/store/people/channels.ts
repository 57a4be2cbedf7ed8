import type { Channel, ChannelCode, ChannelKind, KeptChannel, PushKey } from '#shared/domain/people/channel.ts';
import { CODE_TRIES } from '#shared/domain/people/channel.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** Users without a customer are kept under customer 0. */
type Of = { customerId: number | null; userId: number };
type Stored = KeptChannel & { codeHash?: string; codeExpires?: number; tries?: number };
type Tried = KeptChannel & { codeHash: string };

const keyOf = ({ customerId, userId }: Of, by: ChannelKind) =>
  items.channel({ customerId: customerId ?? UNASSIGNED, userId, by });

const queryOf = (table: TableReader, { customerId, userId }: Of) =>
  table.queryAll<Stored>({
    pk: items.channel.pk({ customerId: customerId ?? UNASSIGNED, userId }),
    beginsWith: 'CHANNEL#',
  });

const sendable = ({ by, address, subscription }: Stored, key: PushKey | null): Channel[] => {
  if (by !== 'push') return [{ by, address }];
  return subscription && key ? [{ by, subscription, key }] : [];
};

export const channelReads = (table: TableReader) => ({
  /** The channels of a user, proven or not. */
  list: async (of: Of): Promise<KeptChannel[]> =>
    (await queryOf(table, of)).map(({ by, address, provenDate }) => ({ by, address, provenDate })),

  /** The proven channels of a user, with all that sending needs. None when there is no such user. */
  provenOf: async (of: Of): Promise<Channel[]> => {
    const proven = (await queryOf(table, of)).filter(({ provenDate }) => provenDate !== null);
    const isPushed = proven.some(({ by }) => by === 'push');
    const key = isPushed ? await table.get<PushKey>(items.pushKey({})) : null;
    return proven.flatMap((channel) => sendable(channel, key && { publicKey: key.publicKey, sealed: key.sealed }));
  },
});

const channelWrites = (table: Table) => ({
  /** Replaces a channel of a user; `code` is what proves it. False: there is no such user any more. */
  put: async (of: Of, channel: KeptChannel, code: ChannelCode | null): Promise<boolean> => {
    const proof = code && { codeHash: code.hash, codeExpires: code.expires, tries: 0 };
    const failed = await table.write(
      { put: { ...channel, ...proof, ...keyOf(of, channel.by) } },
      { check: items.user({ customerId: of.customerId ?? UNASSIGNED, userId: of.userId }), where: present },
    );
    return failed === null;
  },

  /** Takes one of the tries of the code of a channel, and gives both. Null: there is no code, it is over, or tried out. */
  tryCode: async (of: Of, by: ChannelKind, now: number): Promise<Tried | null> => {
    const isGood = where('#codeExpires > :now AND #tries < :most', { now, most: CODE_TRIES });
    return (await table.update(keyOf(of, by), changes({ add: { tries: 1 }, if: isGood }, 'ALL_NEW'))) as Tried | null;
  },

  /** Notes that a channel is proven by the code with this hash, which is used up. False: another one is by now. */
  prove: async (of: Of, by: ChannelKind, codeHash: string, provenDate: number): Promise<boolean> => {
    const isThis = where('#codeHash = :codeHash', { codeHash });
    const proven = changes({ set: { provenDate }, remove: ['codeHash', 'codeExpires', 'tries'], if: isThis });
    return (await table.update(keyOf(of, by), proven)) !== null;
  },

  /** Removes a channel of a user. False when there is none. */
  remove: async (of: Of, by: ChannelKind): Promise<boolean> =>
    (await table.write({ remove: keyOf(of, by), where: present })) === null,
});

export const channels = (table: Table) => ({ ...channelReads(table), ...channelWrites(table) });
