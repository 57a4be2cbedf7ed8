import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { type DataJob, LAST_PASS_AFTER } from '#shared/domain/identity/data-job.ts';
import type { Subject } from '#shared/domain/identity/data-job-view.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { type DeliveryItem, deliveryOf } from '#shared/store/deliveries/delivery-item.ts';
import { erasureRules } from '#shared/store/subjects/erasure-rules.ts';
import { type SubjectItem, subjectItems } from '#shared/store/subjects/subject-walk.ts';
import type { Lead, StoredItem } from '#shared/store/subjects/subjects.ts';
import type { JobDeps } from './deps.ts';
import { subjectScopeOf } from './subject-scope.ts';

/**
 * Returns the recipients except the given user. If no one is left, the users on duty take over, because a rule must not
 * stop notifying people just because a user was erased.
 */
const withoutUser = (recipients: readonly Recipient[], userId: number): Recipient[] => {
  const others = recipients.filter((recipient) => recipient.userId !== userId);
  const by = recipients.find((recipient) => recipient.userId === userId)?.by;
  return others.length > 0 || by === undefined ? others : [{ onDuty: true, by }];
};

const namesUser = ({ recipients, escalation }: Rule, userId: number): boolean =>
  [...recipients, ...escalation.flatMap((step) => step.recipients)].some((recipient) => recipient.userId === userId);

const removeFromRule = async ({ store, now }: JobDeps, before: Rule, userId: number): Promise<void> => {
  const recipients = withoutUser(before.recipients, userId);
  const escalation = before.escalation.map((step) => ({ ...step, recipients: withoutUser(step.recipients, userId) }));
  const rule = { ...before, recipients, escalation, updateDate: Math.max(now(), before.updateDate + 1) };
  await store.rules.setRecipients(before, rule);
};

const isAbout = (rule: Rule, subject: Subject): boolean => {
  if (subject.kind === 'sensor') return rule.sensorId === subject.id;
  return subject.kind === 'user' && namesUser(rule, subject.id);
};

/** Removes a sensor's rules, or removes a user from all rules. Returns how many rules named the subject. */
const eraseFromRules = async (deps: JobDeps, { customerId, subject }: DataJob): Promise<number> => {
  if (subject.kind === 'customer' || customerId === UNASSIGNED) return 0;
  const about = (await deps.store.rules.list(customerId)).filter((rule) => isAbout(rule, subject));
  for (const rule of about) {
    if (subject.kind === 'user') await removeFromRule(deps, rule, subject.id);
    else await deps.store.rules.remove(rule);
  }
  return about.length;
};

/** How much time (ms) a run leaves for items in progress. */
const MARGIN_MS = 15_000;

/** How many items a run erased, and why any are left. `later`: other tasks may still be using them. */
type Run = { erased: number; left: 'nothing' | 'later' | 'time' };

/** Cancels a delivery and corrects the counts that include it. Deliveries being sent stay unchanged. */
const endDelivery = async ({ store, now }: JobDeps, delivery: Delivery): Promise<void> => {
  const { state, webhookId } = delivery;
  const isHeld = webhookId !== null && state === 'held';
  // Once the customer has been deleted, there are no counts.
  if (isHeld && (await store.held.end({ ...delivery, webhookId }, 'canceled', now()))) return;
  if (await store.deliveries.end(delivery, isHeld ? 'deleted' : 'canceled', now()))
    if (webhookId !== null) await store.feeds.removeFromFeed({ ...delivery, webhookId });
};

/**
 * Whether a delivery can be removed. It must have ended long enough ago that no task can be pending, because a task
 * with a missing delivery fires an alarm.
 */
const isRemovable = async (deps: JobDeps, item: StoredItem): Promise<boolean> => {
  const delivery = deliveryOf(item as StoredItem & DeliveryItem);
  const hasEnded = delivery.state === 'delivered' || delivery.state === 'failed';
  if (hasEnded) return delivery.updateDate <= deps.now() - LAST_PASS_AFTER;
  await endDelivery(deps, delivery);
  return false;
};

const eraseItem = async (deps: JobDeps, { kind, item, verdict }: SubjectItem): Promise<boolean> => {
  const { subjects } = deps.store;
  if (verdict !== 'remove') return subjects.replace(item, verdict);
  if ((kind === 'delivery' || kind === 'personDelivery') && !(await isRemovable(deps, item))) return false;
  await subjects.remove(item);
  return true;
};

/** Erases all current data about a subject, as far as time permits. */
export const eraseItems = async (
  deps: JobDeps,
  job: DataJob,
  leads: readonly Lead[],
  timeLeft: () => number,
): Promise<Run> => {
  const { store, now, failpoint } = deps;
  const run: Run = { erased: await eraseFromRules(deps, job), left: 'nothing' };
  for await (const met of subjectItems(store.subjects, subjectScopeOf(job, leads), leads, erasureRules)) {
    const counts = new Map<string, number>();
    await inBatches(met, async (item) => {
      failpoint('erasure.item');
      if (await eraseItem(deps, item)) counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
      else run.left = 'later';
    });
    await store.dataJobs.addCounts(job, counts, now());
    run.erased += met.length;
    if (timeLeft() < MARGIN_MS) return { ...run, left: 'time' };
  }
  return run;
};
