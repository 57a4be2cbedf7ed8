import { EVENT_RETENTION } from '../domain/event/event.ts';
import type { Caller } from '../domain/identity/permission.ts';
import { nameFrom, nameOfUser } from '../domain/rule/acknowledgement.ts';
import type { AcknowledgingUser, NotedAcknowledgement } from '../domain/rule/acknowledgement-view.ts';
import { isWithinQueueDelay } from '../domain/rule/escalation.ts';
import type { RequestedAcknowledgement } from '../domain/rule/noted-acknowledgement.ts';
import type { Deps } from '../runtime/deps.ts';
import { alarmChecks } from './alarm-check.ts';
import { sendNotice } from './notices.ts';
import type { acknowledging, withdrawing } from './operation.ts';

type Settle = Deps<'fallAnswers.settle'>['store']['fallAnswers']['settle'];
type FallRef = Parameters<Settle>[0];
type HitItem = Awaited<ReturnType<Settle>>[number];
type NoticeKey = Parameters<typeof sendNotice>[1];
type HitKey = { customerId: number; hitId: number };

type AcknowledgingCall = {
  caller: Caller;
  body: AcknowledgingUser;
  fail: (code: 'forbidden') => never;
  refuse: (path: string, problem: 'required') => never;
};
/** Returns the requested acknowledgement, under the caller's name or, on a display, under the name entered. */
export const requestedAcknowledgement = async (
  { caller, body, fail, refuse }: AcknowledgingCall,
  { store, now }: Deps<'users.get'>,
): Promise<RequestedAcknowledgement> => {
  const { accountId: userId, customerId, isDisplay } = caller;
  const user = (await store.users.get(customerId, userId)) ?? fail('forbidden');
  const { note, name = '' } = body;
  const by = { userId, date: now(), ...(note !== undefined && { note }) };
  if (!isDisplay) return { ...by, name: nameOfUser(user) };
  return { ...by, name: nameFrom(name) ?? refuse('name', 'required'), isShared: true };
};

/**
 * Updates fall alarms after the answer has changed, and sends the notice about the change. The worker repeats the
 * update when it processes the notice, because by then it can also see alarms that were still being created. Returns
 * the changed hits.
 */
export const followFall = async (
  deps: Deps<'fallAnswers.settle' | 'enqueue:events'>,
  fall: FallRef,
  notice: NoticeKey,
): Promise<HitItem[]> => {
  const settled = await deps.store.fallAnswers.settle(fall, deps.now());
  await sendNotice(deps, notice);
  return settled;
};

/**
 * Sends the notice about a changed hit, if there is one. Returns the other hits for the same fall that have changed
 * with it.
 */
const followHit = async (
  deps: Deps<'fallAnswers.settle' | 'enqueue:events'>,
  { customerId }: HitKey,
  { hit, notice }: { hit: HitItem; notice: NoticeKey | null },
): Promise<HitItem[]> => {
  const { sensorId, fall } = hit;
  if (!notice) return [];
  if (fall !== undefined) return followFall(deps, { customerId, sensorId, fall }, notice);
  await sendNotice(deps, notice);
  return [];
};

/**
 * Acknowledges a hit and, if the hit is for a fall, the fall and all its hits. Returns the hit with its
 * acknowledgement, which may be an earlier one, and whether the acknowledgement is new. Null if the hit does not exist.
 */
export const acknowledgeHit = async (
  deps: Deps<'acknowledgements.make' | (typeof acknowledging)[number]>,
  hitKey: HitKey,
  acknowledgement: RequestedAcknowledgement,
) => {
  const { store, now } = deps;
  const result = await store.acknowledgements.make(hitKey, acknowledgement, now() - EVENT_RETENTION);
  if (!result) return null;
  await followHit(deps, hitKey, result);
  return { hit: result.hit, isNew: result.notice !== null };
};

/**
 * Continues the escalations of hits that lost their acknowledgement. Alarms no one was notified of are checked again.
 */
export const resumeHits = async (
  { enqueue, now, log, settings }: Deps<'enqueue:timers' | 'watch:alarms'>,
  customerId: number,
  hits: readonly HitItem[],
): Promise<void> => {
  for (const hit of hits) {
    if (hit.acknowledgement) continue;
    const { id: hitId, escalation, createDate } = hit;
    const { at, open } = escalation ?? { at: Number.POSITIVE_INFINITY };
    const delaySeconds = open ? 0 : (at - now()) / 1_000;
    // The sweep finds the hit in the due index.
    const leaveToSweep = (error: unknown) => log('warn', 'an escalation is left to the sweep', { hitId }, error);
    if (isWithinQueueDelay(at, now()))
      await enqueue([{ type: 'escalate', customerId, hitId }], { delaySeconds }).catch(leaveToSweep);
    const checkAt = Math.max(now(), createDate + settings.UNNOTIFIED_AFTER_SECONDS * 1_000);
    await enqueue(alarmChecks(customerId, hit, checkAt), { delaySeconds: (checkAt - now()) / 1_000 });
  }
};

/**
 * Withdraws the acknowledgement of a hit and, if the hit is for a fall, that of the fall and all its hits. The
 * escalations of these hits continue. Returns the hit, null if it does not exist, `refused` if the acknowledgement must
 * not be withdrawn, or `closed` if the fall is closed.
 */
export const withdrawAcknowledgement = async (
  deps: Deps<'acknowledgements.withdraw' | (typeof withdrawing)[number]>,
  hitKey: HitKey,
  isAllowed: (acknowledgement: NotedAcknowledgement) => boolean,
) => {
  const { store, now } = deps;
  const result = await store.acknowledgements.withdraw(hitKey, isAllowed, now() - EVENT_RETENTION, now());
  if (result === null || result === 'refused' || result === 'closed') return result;
  const others = await followHit(deps, hitKey, result);
  await resumeHits(deps, hitKey.customerId, [result.hit, ...others]);
  return result.hit;
};
