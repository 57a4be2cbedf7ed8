import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { type DataJob, SETTLED_AFTER } from '#shared/domain/identity/data-job.ts';
import type { Subject } from '#shared/domain/identity/data-job-view.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { type DeliveryItem, deliveryOf } from '#shared/store/deliveries/delivery-item.ts';
import { belongings } from '#shared/store/subjects/subject-items.ts';
import { type Met, walk } from '#shared/store/subjects/subject-walk.ts';
import type { Found, Lead } from '#shared/store/subjects/subjects.ts';
import type { JobDeps } from './deps.ts';
import { whoOf } from './who.ts';

/**
 * Recipients without a user. Where nobody else is left, whoever is on duty takes the place: a rule must not fall silent
 * because somebody is erased.
 */
const without = (recipients: readonly Recipient[], userId: number): Recipient[] => {
  const others = recipients.filter((recipient) => recipient.userId !== userId);
  const by = recipients.find((recipient) => recipient.userId === userId)?.by;
  return others.length > 0 || by === undefined ? others : [{ onDuty: true, by }];
};

const names = ({ recipients, escalation }: Rule, userId: number): boolean =>
  [...recipients, ...escalation.flatMap((step) => step.recipients)].some((recipient) => recipient.userId === userId);

const forgetUser = async ({ store, now }: JobDeps, before: Rule, userId: number): Promise<void> => {
  const recipients = without(before.recipients, userId);
  const escalation = before.escalation.map((step) => ({ ...step, recipients: without(step.recipients, userId) }));
  const rule = { ...before, recipients, escalation, updateDate: Math.max(now(), before.updateDate + 1) };
  await store.rules.setRecipients(before, rule);
};

const isAbout = (rule: Rule, subject: Subject): boolean => {
  if (subject.kind === 'sensor') return rule.sensorId === subject.id;
  return subject.kind === 'user' && names(rule, subject.id);
};

/** Removes the rules of a sensor, or a user from all rules. Gives how many rules named the subject. */
const forgetInRules = async (deps: JobDeps, { customerId, subject }: DataJob): Promise<number> => {
  if (subject.kind === 'customer' || customerId === UNASSIGNED) return 0;
  const about = (await deps.store.rules.list(customerId)).filter((rule) => isAbout(rule, subject));
  for (const rule of about) {
    if (subject.kind === 'user') await forgetUser(deps, rule, subject.id);
    else await deps.store.rules.remove(rule);
  }
  return about.length;
};

/** A run leaves so much time (ms) for what it is at. */
const MARGIN_MS = 15_000;

/** What a run did, and what it left: `later` is what others may be working on. */
type Run = { erased: number; left: 'nothing' | 'later' | 'time' };

/** Ends a delivery as one that is canceled, with every count that it is in, unless it is being sent. */
const endDelivery = async ({ store, now }: JobDeps, delivery: Delivery): Promise<void> => {
  const { state, webhookId } = delivery;
  const isHeld = webhookId !== null && state === 'held';
  // A customer that is gone has no counts.
  if (isHeld && (await store.held.end({ ...delivery, webhookId }, 'canceled', now()))) return;
  if (await store.deliveries.end(delivery, isHeld ? 'deleted' : 'canceled', now()))
    if (webhookId !== null) await store.feeds.drop({ ...delivery, webhookId });
};

/**
 * Can a delivery be removed? It has to have ended for so long that no task of it waits any more: a task whose delivery is
 * missing rings an alarm.
 */
const isQuiet = async (deps: JobDeps, item: Found): Promise<boolean> => {
  const delivery = deliveryOf(item as Found & DeliveryItem);
  const hasEnded = delivery.state === 'delivered' || delivery.state === 'failed';
  if (hasEnded) return delivery.updateDate <= deps.now() - SETTLED_AFTER;
  await endDelivery(deps, delivery);
  return false;
};

const eraseOne = async (deps: JobDeps, { kind, item, verdict }: Met): Promise<boolean> => {
  const { subjects } = deps.store;
  if (verdict !== 'remove') return subjects.replace(item, verdict);
  if ((kind === 'delivery' || kind === 'personDelivery') && !(await isQuiet(deps, item))) return false;
  await subjects.remove(item);
  return true;
};

/** Erases all that is there of a subject now, as far as the time goes. */
export const eraseAll = async (
  deps: JobDeps,
  job: DataJob,
  leads: readonly Lead[],
  timeLeft: () => number,
): Promise<Run> => {
  const { store, now, failpoint } = deps;
  const run: Run = { erased: await forgetInRules(deps, job), left: 'nothing' };
  for await (const met of walk(store.subjects, whoOf(job, leads), leads, belongings)) {
    const counts = new Map<string, number>();
    await inBatches(met, async (item) => {
      failpoint('erasure.item');
      if (await eraseOne(deps, item)) counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
      else run.left = 'later';
    });
    await store.dataJobs.count(job, counts, now());
    run.erased += met.length;
    if (timeLeft() < MARGIN_MS) return { ...run, left: 'time' };
  }
  return run;
};
