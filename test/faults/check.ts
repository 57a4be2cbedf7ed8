/** What a receiver answered 2xx. */
export type Receipt = { uuid: string; webhookId: string; messageId: string; at: number };

export type Verdict = {
  /** Acknowledged events that a webhook was never told of, though nothing of them waits and nothing gave a reason. */
  lost: string[];
  /** What nobody sent. */
  unexpected: string[];
  /** Told twice under different ids, so that a receiver could not know. */
  renamed: string[];
  /** Told once more under the same id. */
  duplicated: number;
};

/**
 * The promise: A \ (D ∪ P ∪ X) is empty. A: acknowledged events for each webhook; D: what receivers answered 2xx; P and X:
 * what waits, and what ended with a reason, as `event webhook`.
 */
export const check = (
  { acknowledged, posted }: { acknowledged: ReadonlySet<string>; posted: ReadonlySet<string> },
  webhooks: readonly string[],
  receipts: readonly Receipt[],
  excused: ReadonlySet<string>,
): Verdict => {
  const ids = new Map<string, Set<string>>();
  for (const { uuid, webhookId, messageId } of receipts) {
    const pair = `${uuid} ${webhookId}`;
    ids.set(pair, (ids.get(pair) ?? new Set()).add(messageId));
  }
  const pairs = [...acknowledged].flatMap((uuid) => webhooks.map((webhookId) => `${uuid} ${webhookId}`));
  return {
    lost: pairs.filter((pair) => !ids.has(pair) && !excused.has(pair)),
    unexpected: receipts.filter(({ uuid }) => !posted.has(uuid)).map(({ uuid }) => uuid),
    renamed: [...ids].filter(([, all]) => all.size > 1).map(([pair]) => pair),
    duplicated: receipts.length - ids.size,
  };
};
