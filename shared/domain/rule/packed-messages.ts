import type { By } from './recipient.ts';
import type { RuleMessage } from './rule-hit.ts';

/** What a hit has of a message besides what is reported of it. */
export type PackedMessage = Pick<RuleMessage, 'id' | 'accountId' | 'publisher' | 'extra'>;

type Packed = [
  firstId: number,
  accounts: [accountId: number, name: string][],
  /** `id` is the difference to the first. `by`: the way in which a person is told; a message to a webhook has none. */
  messages: [account: number, id: number, by?: By][],
];

/**
 * Packs whom a hit tells, in one text. Each report writes the whole hit and each kilobyte is paid each time: with 20
 * messages it would have five, of which names of values and repetitions are four.
 */
export const packMessages = (messages: readonly PackedMessage[]): string => {
  const firstId = messages[0]?.id ?? 0;
  const accounts = [...new Map(messages.map(({ accountId, extra }) => [accountId, extra.display_name]))];
  const accountOf = new Map(accounts.map(([accountId], at) => [accountId, at]));
  const packed: Packed = [
    firstId,
    accounts,
    messages.map(({ id, accountId, publisher }): Packed[2][number] => {
      const account = accountOf.get(accountId) ?? 0;
      const more = id - firstId;
      return publisher === 'webhook' ? [account, more] : [account, more, publisher];
    }),
  ];
  return JSON.stringify(packed);
};

/** Unpacks whom a hit tells. */
export const unpackMessages = (text: string): PackedMessage[] => {
  const [firstId, accounts, messages] = JSON.parse(text) as Packed;
  return messages.map(([account, id, by]) => {
    const [accountId, name] = accounts[account] ?? [0, ''];
    const extra = { display_name: name, is_bot: by === undefined };
    return { id: firstId + id, accountId, publisher: by ?? 'webhook', extra };
  });
};
