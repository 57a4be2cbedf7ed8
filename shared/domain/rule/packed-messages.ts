import type { By } from './recipient.ts';
import type { RuleMessage } from './rule-hit.ts';

/** A message in a hit, without the delivery result. */
export type PackedMessage = Pick<RuleMessage, 'id' | 'accountId' | 'publisher' | 'extra'>;

type Packed = [
  firstId: number,
  accounts: [accountId: number, name: string][],
  /** `id` is the difference from the first id. `by` is a person's channel; it is missing in messages to webhooks. */
  messages: [account: number, id: number, by?: By][],
];

/**
 * Packs hit messages into one string. Each delivery result rewrites the whole hit, which is billed by the kilobyte.
 * Unpacked, 20 messages would take five kilobytes, four of them for field names and repetitions.
 */
export const packMessages = (messages: readonly PackedMessage[]): string => {
  const firstId = messages[0]?.id ?? 0;
  const accounts = [...new Map(messages.map(({ accountId, extra }) => [accountId, extra.display_name]))];
  const accountOf = new Map(accounts.map(([accountId], index) => [accountId, index]));
  const packed: Packed = [
    firstId,
    accounts,
    messages.map(({ id, accountId, publisher }): Packed[2][number] => {
      const account = accountOf.get(accountId) ?? 0;
      const offset = id - firstId;
      return publisher === 'webhook' ? [account, offset] : [account, offset, publisher];
    }),
  ];
  return JSON.stringify(packed);
};

/** Unpacks hit messages. */
export const unpackMessages = (text: string): PackedMessage[] => {
  const [firstId, accounts, messages] = JSON.parse(text) as Packed;
  return messages.map(([account, id, by]) => {
    const [accountId, name] = accounts[account] ?? [0, ''];
    const extra = { display_name: name, is_bot: by === undefined };
    return { id: firstId + id, accountId, publisher: by ?? 'webhook', extra };
  });
};
