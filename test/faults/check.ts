/** A request accepted by a receiver with 2xx. `customerId` is the receiver's customer. */
export type Receipt = { uuid: string; webhookId: string; messageId: string; at: number; customerId: number };
/** A posted fall. `at` is when (ms) it was acknowledged, or null. `webhooks` are the webhooks that must receive it. */
export type Posted = { uuid: string; customerId: number; at: number | null; webhooks: readonly string[] };

export type Verdict = {
  /**
   * Acknowledged events that a webhook never received, although no delivery is pending and none ended with a reason.
   */
  lost: string[];
  /** Events that were never posted, and events delivered to another customer's receiver. */
  unexpected: string[];
  wrong: string[];
  /** Events delivered twice under different ids, so that the receiver could not recognize the duplicate. */
  renamed: string[];
  /** The number of duplicates under the same id. */
  duplicated: number;
};

const pairOf = ({ uuid, webhookId }: { uuid: string; webhookId: string }) => `${uuid} ${webhookId}`;

/** Returns the acknowledged events a webhook did not receive, as `event webhook`. */
export const undelivered = (posted: readonly Posted[], receipts: readonly Receipt[]): string[] => {
  const delivered = new Set(receipts.map(pairOf));
  const acknowledged = posted.filter(({ at }) => at !== null);
  const pairs = acknowledged.flatMap(({ uuid, webhooks }) => webhooks.map((webhookId) => pairOf({ uuid, webhookId })));
  return pairs.filter((pair) => !delivered.has(pair));
};

/**
 * Checks the guarantee: A \ (D ∪ P ∪ X) is empty. A is the set of acknowledged events for each webhook, D the events
 * accepted by receivers with 2xx, P the events with a pending delivery, and X the events whose delivery ended with a
 * reason. Each event is written as `event webhook`.
 */
export const check = (
  posted: readonly Posted[],
  receipts: readonly Receipt[],
  excused: ReadonlySet<string>,
): Verdict => {
  const events = new Map(posted.map((event) => [event.uuid, event]));
  const ids = new Map<string, Set<string>>();
  for (const receipt of receipts)
    ids.set(pairOf(receipt), (ids.get(pairOf(receipt)) ?? new Set()).add(receipt.messageId));
  const isWrong = ({ uuid, customerId, webhookId }: Receipt) => {
    const event = events.get(uuid);
    return event !== undefined && (event.customerId !== customerId || !event.webhooks.includes(webhookId));
  };
  return {
    lost: undelivered(posted, receipts).filter((pair) => !excused.has(pair)),
    unexpected: receipts.filter(({ uuid }) => !events.has(uuid)).map(pairOf),
    wrong: receipts.filter(isWrong).map((receipt) => `${pairOf(receipt)} at ${receipt.customerId}`),
    renamed: [...ids].filter(([, messageIds]) => messageIds.size > 1).map(([pair]) => pair),
    duplicated: receipts.length - ids.size,
  };
};
