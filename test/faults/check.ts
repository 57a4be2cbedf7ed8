/** What a receiver answered 2xx, and whose receiver it is. */
export type Receipt = { uuid: string; webhookId: string; messageId: string; at: number; customerId: number };
/** A fall that was posted; `at`: when that was acknowledged. Who is to hear of it. */
export type Posted = { uuid: string; customerId: number; at: number | null; webhooks: readonly string[] };

export type Verdict = {
  /** Acknowledged events that a webhook was never told of, though nothing of them waits and nothing gave a reason. */
  lost: string[];
  /** What nobody sent, and what another customer's receiver was told. */
  unexpected: string[];
  wrong: string[];
  /** Told twice under different ids, so that a receiver could not know. */
  renamed: string[];
  /** Told once more under the same id. */
  duplicated: number;
};

const pairOf = ({ uuid, webhookId }: { uuid: string; webhookId: string }) => `${uuid} ${webhookId}`;

/** Whom nobody has told of what was acknowledged, as `event webhook`. */
export const untold = (posted: readonly Posted[], receipts: readonly Receipt[]): string[] => {
  const told = new Set(receipts.map(pairOf));
  const acknowledged = posted.filter(({ at }) => at !== null);
  const pairs = acknowledged.flatMap(({ uuid, webhooks }) => webhooks.map((webhookId) => pairOf({ uuid, webhookId })));
  return pairs.filter((pair) => !told.has(pair));
};

/**
 * The promise: A \ (D ∪ P ∪ X) is empty. A: acknowledged events for each webhook; D: what receivers answered 2xx; P and X:
 * what waits, and what ended with a reason, as `event webhook`.
 */
export const check = (
  posted: readonly Posted[],
  receipts: readonly Receipt[],
  excused: ReadonlySet<string>,
): Verdict => {
  const events = new Map(posted.map((one) => [one.uuid, one]));
  const ids = new Map<string, Set<string>>();
  for (const one of receipts) ids.set(pairOf(one), (ids.get(pairOf(one)) ?? new Set()).add(one.messageId));
  const isWrong = ({ uuid, customerId, webhookId }: Receipt) => {
    const event = events.get(uuid);
    return event !== undefined && (event.customerId !== customerId || !event.webhooks.includes(webhookId));
  };
  return {
    lost: untold(posted, receipts).filter((pair) => !excused.has(pair)),
    unexpected: receipts.filter(({ uuid }) => !events.has(uuid)).map(pairOf),
    wrong: receipts.filter(isWrong).map((one) => `${pairOf(one)} at ${one.customerId}`),
    renamed: [...ids].filter(([, all]) => all.size > 1).map(([pair]) => pair),
    duplicated: receipts.length - ids.size,
  };
};
