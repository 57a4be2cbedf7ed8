import type { RuleMessage } from './rule-hit.ts';

/** What a hit has of a message besides what is reported of it. */
export type Told = Pick<RuleMessage, 'id' | 'accountId' | 'extra'>;

type Packed = [
  firstId: number,
  bots: [accountId: number, name: string][],
  /** `id` is the difference to the first. */
  messages: [bot: number, id: number][],
];

/**
 * Packs whom a hit tells, in one text. Each report writes the whole hit and each kilobyte is paid each time: with 20
 * messages it would have five, of which names of values and repetitions are four.
 */
export const packMessages = (messages: readonly Told[]): string => {
  const firstId = messages[0]?.id ?? 0;
  const bots = [...new Map(messages.map(({ accountId, extra }) => [accountId, extra.display_name]))];
  const botOf = new Map(bots.map(([accountId], at) => [accountId, at]));
  const packed: Packed = [
    firstId,
    bots,
    messages.map(({ id, accountId }) => [botOf.get(accountId) ?? 0, id - firstId]),
  ];
  return JSON.stringify(packed);
};

/** Unpacks whom a hit tells. */
export const unpackMessages = (text: string): Told[] => {
  const [firstId, bots, messages] = JSON.parse(text) as Packed;
  return messages.map(([bot, id]) => {
    const [accountId, name] = bots[bot] ?? [0, ''];
    return { id: firstId + id, accountId, extra: { display_name: name, is_bot: true } };
  });
};
