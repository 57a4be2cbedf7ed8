import { RETENTION } from '../domain/event.ts';
import type { Feedback } from '../domain/feedback.ts';
import { firstIdAt } from '../domain/ids.ts';
import type { RuleHit, RuleMessage } from '../domain/rule-hit.ts';
import type { Table, TableReader } from './client.ts';
import { absent } from './request.ts';
import { items } from './table.ts';

/** A hit as it is stored. `sensor` is looked up when it is read; `allSend` follows from the messages. */
export type HitItem = Omit<RuleHit, 'sensor' | 'feedback' | 'allSend' | 'ruleMessages'> & {
  messages: RuleMessage[];
  /** The newest, kept in step by feedback.ts. */
  feedback?: Feedback | null;
};

const MAX_ID = Number.MAX_SAFE_INTEGER;
const sortKey = (hitId: number) => items.ruleHit.sk({ hitId });

export const ruleHitReads = (table: TableReader) => ({
  get: (customerId: number, hitId: number) => table.get<HitItem>(items.ruleHit({ customerId, hitId })),

  /** All hits of the last 120 days: by date, not by what expiry has removed already. */
  list: (customerId: number, now: number) =>
    table.queryAll<HitItem>({
      pk: items.ruleHit.pk({ customerId }),
      between: [sortKey(firstIdAt(now - RETENTION)), sortKey(MAX_ID)],
    }),
});

export const ruleHitWrites = (table: Table) => ({
  /**
   * Writes a hit once for its event and rule. Its id is taken by another hit: the next one is tried, so that writing
   * it again finds the same place. Gives the id it has.
   */
  create: async (customerId: number, hit: HitItem): Promise<number> => {
    const ttl = Math.ceil((hit.createDate + RETENTION) / 1_000);
    for (let id = hit.id; ; id++) {
      const key = items.ruleHit({ customerId, hitId: id });
      const messages = hit.messages.map((message) => ({ ...message, ruleHitId: id }));
      const failed = await table.write({ put: { ...hit, ...key, id, messages, ttl }, where: absent });
      if (failed === null) return id;
      const there = await table.get<HitItem>(key, true);
      if (there?.sensorEventId === hit.sensorEventId && there.ruleId === hit.ruleId) return id;
    }
  },

  /** Reports the attempts to send one message of a hit; a success stays one whatever comes later. */
  report: async (
    customerId: number,
    hitId: number,
    at: number,
    tries: readonly number[],
    sent: boolean,
    now: number,
  ) => {
    const message = `messages[${at}]`;
    await table.update(items.ruleHit({ customerId, hitId }), {
      UpdateExpression:
        `SET ${message}.sendTryTimes = :tries, ${message}.updateDate = :now, updateDate = :now` +
        (sent ? `, ${message}.wasSend = :sent` : ''),
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':tries': tries, ':now': now, ...(sent && { ':sent': true }) },
    });
  },
});
