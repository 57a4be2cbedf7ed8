import { type Delivery, receiverKey } from '#shared/domain/delivery/delivery.ts';
import { firstDeliveryId, idInRound } from '#shared/domain/delivery/snapshot.ts';
import { rawMessageOf } from '#shared/domain/event/decision.ts';
import { canExpressEvent } from '#shared/domain/formats/formats.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { roundRecipients } from '#shared/domain/rule/escalation.ts';
import { webhooksIn } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { Escalate } from '#shared/queue/task.ts';
import type { EscalatingHit } from '#shared/store/rules/escalations.ts';
import { hurryEscalation } from './check-alarm.ts';
import type { ProcessDeps } from './context.ts';

/** The pause (s) between checks while deliveries are still being enqueued, and the maximum wait (ms). */
const RETRY_SECONDS = 2;
const MAX_WAIT_MS = 60_000;

/**
 * The delivery to a receiver in a round. `mayBeMissing`: it does not exist if the webhook was deleted before the round.
 */
type Expected = { webhookId: string | null; deliveryId: string; mayBeMissing: boolean };

/** Returns the deliveries in a hit's last round. The given failed delivery may be one of them. */
const deliveriesOfRound = async (
  { store }: ProcessDeps,
  { hit, rule, failed }: { hit: EscalatingHit; rule: Rule; failed: Delivery },
): Promise<Expected[]> => {
  const { cause, sensorId, ruleId, messages } = hit;
  const { round, after } = hit.escalation;
  const steps = round === 0 ? [{ step: 0, recipients: rule.recipients }] : roundRecipients(rule, 'step', after);
  const idFor = (receiver: string, format?: Parameters<typeof firstDeliveryId>[3]): string => {
    // A delivery id begins with the due time of the round.
    const at = timeOfUlid(failed.id);
    if (round > 0) return idInRound({ uuid: cause.uuid, sensorId, ruleId }, { round, at }, receiver);
    return firstDeliveryId({ ...cause, sensorId }, ruleId, receiver, format);
  };
  const people = messages
    .filter(({ publisher, step = 0 }) => publisher !== 'webhook' && steps.some((ofRound) => ofRound.step === step))
    .flatMap(({ publisher: by, accountId: userId, extra }): Expected[] => {
      if (by === 'webhook') return [];
      const receiver = receiverKey({ webhookId: null, person: { userId, by, name: extra.display_name } });
      return [{ webhookId: null, deliveryId: idFor(receiver), mayBeMissing: false }];
    });
  const named = webhooksIn(steps.flatMap(({ recipients }) => recipients));
  const ids = new Set(named.map(({ webhookId }) => webhookId));
  const { webhooks } = await store.recipients.webhooks(rule.customerId, ids, new Set());
  return [
    ...people,
    ...named.map(({ botId, webhookId }): Expected => {
      const webhook = webhooks.get(webhookId);
      const canSend =
        webhook?.botId === botId && canExpressEvent(webhook.format, cause.happening.code, rawMessageOf(cause));
      return { webhookId, deliveryId: idFor(webhookId, webhook?.format), mayBeMissing: !canSend };
    }),
  ];
};

/** Whether all deliveries in a round have failed, including the given one. False if it belongs to an earlier round. */
const haveAllFailed = async (
  deps: ProcessDeps,
  context: { hit: EscalatingHit; rule: Rule; failed: Delivery },
): Promise<boolean> => {
  const expected = await deliveriesOfRound(deps, context);
  if (!expected.some(({ deliveryId }) => deliveryId === context.failed.id)) return false;
  for (const { webhookId, deliveryId, mayBeMissing } of expected) {
    const delivery = await deps.store.deliveries.get(context.rule.customerId, webhookId, deliveryId);
    if (delivery ? delivery.state !== 'failed' : !mayBeMissing) return false;
  }
  return true;
};

/**
 * Moves the next escalation step to now if all deliveries in the last round have failed, including the given one.
 * Nothing is written for other rounds.
 */
export const hurryFailedRound = async (
  deps: ProcessDeps,
  task: Escalate,
  { webhookId, deliveryId }: NonNullable<Escalate['failed']>,
): Promise<void> => {
  const { store, now, enqueue } = deps;
  const { customerId, hitId } = task;
  const hit = await store.ruleHits.get(customerId, hitId);
  if (!hit?.escalation || !hit.cause || hit.acknowledgement || hit.escalation.isHurried) return;
  const failed = await store.deliveries.get(customerId, webhookId, deliveryId);
  if (failed?.state !== 'failed') return;
  if (hit.escalation.open) {
    if (now() - failed.updateDate < MAX_WAIT_MS) await enqueue([task], { delaySeconds: RETRY_SECONDS });
    return;
  }
  const rule = await store.rules.get(customerId, hit.ruleId);
  const escalating = { ...hit, escalation: hit.escalation, cause: hit.cause };
  if (rule && (await haveAllFailed(deps, { hit: escalating, rule, failed })))
    await hurryEscalation(deps, customerId, hitId);
};
