import { acknowledgeHit, followFall, resumeHits, withdrawAcknowledgement } from '#shared/api/acknowledgements.ts';
import { situationText } from '#shared/api/messages/situation-text.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import type { Acknowledgement, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { viewOf } from './alarm-view.ts';
import { acknowledge } from './contract.ts';
import { alarmOfLink, type LinkCall, type LinkedAlarm, withAcknowledgement } from './linked-alarm.ts';
import { headers, type PageLink, pageOf } from './page.ts';
import { textsOf } from './texts.ts';

type Operations = (typeof acknowledge)['operations'];
type PageDeps = Deps<Operations['getAcknowledgePage']['uses'][number]>;
type Acknowledging = Deps<Operations['acknowledgeByAddress']['uses'][number]>;
type Withdrawing = Deps<Operations['withdrawByPage']['uses'][number]>;
type Acting = Pick<Call<Operations['acknowledgeByAddress']>, 'actAs'>;

/**
 * Attributes the request to the link in the audit log. Returns the actor's name, which is the entered name for a link
 * without a user, and otherwise the recipient's name.
 */
const actByLink = (
  { actAs }: Acting,
  { customerId, recipient: { userId, name } }: LinkedAlarm,
  enteredName = '',
): string => {
  const actor = nameFrom(userId === null ? enteredName : '') ?? nameFrom(name) ?? '?';
  actAs({ kind: 'link', id: userId === null ? null : String(userId), name: actor }, customerId);
  return actor;
};

/** Acknowledges the link target. Returns the acknowledgement, possibly an earlier one, and whether it is new. */
const acknowledgeTarget = async (
  deps: Acknowledging,
  { target, customerId }: LinkedAlarm,
  by: NotedAcknowledgement,
): Promise<{ acknowledgement: NotedAcknowledgement; isNew: boolean } | null> => {
  if ('hitId' in target) {
    const result = await acknowledgeHit(deps, { customerId, hitId: target.hitId }, by);
    return result && { acknowledgement: result.hit.acknowledgement, isNew: result.isNew };
  }
  const { answer, notice } = await deps.store.falls.acknowledge(target.fall, by);
  if (notice) await followFall(deps, target.fall, notice);
  return { acknowledgement: answer.acknowledgement, isNew: notice !== null };
};

/**
 * Acknowledges an alarm, and returns it with the acknowledgement, which may be an earlier one. A user's link always
 * acknowledges in that user's name. Any other link uses the entered name, or the recipient's name if none was entered.
 */
const acknowledgeAlarm = async (call: LinkCall & Acting, enteredName: string, deps: Acknowledging) => {
  const linked = await alarmOfLink(call, deps);
  const name = actByLink(call, linked, enteredName);
  const by = { userId: linked.recipient.userId, name, date: deps.now() };
  const { acknowledgement, isNew } = (await acknowledgeTarget(deps, linked, by)) ?? call.fail('address_unknown');
  return { linked: { ...linked, content: { ...linked.content, acknowledgement } }, acknowledgement, isNew };
};

/** Withdraws the acknowledgement of the link target, if allowed. Returns the remaining acknowledgement. */
const withdrawFrom = async (
  deps: Withdrawing,
  { target, customerId }: LinkedAlarm,
  isAllowed: (acknowledgement: Acknowledgement) => boolean,
): Promise<'refused' | 'closed' | null | { acknowledgement?: NotedAcknowledgement | undefined }> => {
  if ('hitId' in target) return withdrawAcknowledgement(deps, { customerId, hitId: target.hitId }, isAllowed);
  const result = await deps.store.falls.withdraw(target.fall, isAllowed, deps.now());
  if (result === 'refused' || result === 'closed') return result;
  if (result.notice) await resumeHits(deps, customerId, await followFall(deps, target.fall, result.notice));
  return result.answer;
};

/**
 * Whether the link user made the acknowledgement. Always false for a link without a user, because anyone could have
 * that link.
 */
const isByUser = (acknowledgement: Acknowledgement | undefined, { recipient: { userId } }: LinkedAlarm): boolean =>
  userId !== null && acknowledgement?.userId === userId;

type PageCall = { params: { address: string }; locale: string };
const page = async (
  linked: LinkedAlarm,
  { params, locale }: PageCall,
  { store, now }: Pick<PageDeps, 'store' | 'now'>,
  { isMine, ...shown }: { isMine: boolean } & Pick<PageLink, 'up' | 'wasHandedBack'>,
): Promise<Reply<Uint8Array>> => {
  const [situation, view] = await Promise.all([
    situationText(locale, linked.content.situation),
    viewOf(store, linked, isMine),
  ]);
  const link = { address: params.address, isPersonal: linked.recipient.userId !== null, ...shown };
  return new Reply(pageOf(view, situation, link, { texts: textsOf(locale), now: now() }), { headers });
};

/** Returns the name entered in a submitted form. */
const nameIn = ({ body, isBase64Encoded }: Call<Operations['acknowledgeByPage']>['event']): string =>
  new URLSearchParams(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('utf8')).get('name') ?? '';

export const handler = serve(acknowledge, {
  acknowledgeByAddress: async (call, deps) =>
    (await acknowledgeAlarm(call, call.body.name ?? '', deps)).acknowledgement,

  getAcknowledgePage: async (call, deps) => {
    const linked = await alarmOfLink(call, deps);
    const isMine = isByUser(linked.content.acknowledgement, linked);
    return page(linked, call, deps, { isMine, up: '', wasHandedBack: false });
  },

  acknowledgeByPage: async (call, deps) => {
    const { linked, acknowledgement, isNew } = await acknowledgeAlarm(call, nameIn(call.event), deps);
    const isMine = isNew || isByUser(acknowledgement, linked);
    return page(linked, call, deps, { isMine, up: '../', wasHandedBack: false });
  },

  withdrawByPage: async (call, deps) => {
    const linked = await alarmOfLink(call, deps);
    const { content, recipient } = linked;
    actByLink(call, linked);
    // Without a user, the acknowledgement time identifies the page that acknowledged the alarm.
    const isAllowed = ({ userId, date }: Acknowledgement) => userId === recipient.userId && date === call.params.date;
    const result = await withdrawFrom(deps, linked, isAllowed);
    const wasHandedBack = result !== 'refused' && result !== 'closed';
    const left = wasHandedBack ? (result ?? call.fail('address_unknown')) : content;
    const { acknowledgement: _, ...rest } = content;
    const current = { ...rest, ...withAcknowledgement(left.acknowledgement) };
    return page({ ...linked, content: current }, call, deps, {
      isMine: false,
      up: '../../',
      wasHandedBack,
    });
  },
});
