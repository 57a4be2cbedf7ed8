import {
  type FallClaim,
  hasValidSignature,
  isSignedFall,
  parseFallToken,
  parseLinkToken,
} from '#shared/delivery/acknowledgement-link.ts';
import { EVENT_RETENTION, type Situation } from '#shared/domain/event/event.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import { urgentSituationOf } from '#shared/domain/rule/alarm.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { customerOfHit, type HitItem } from '#shared/store/hits/hit-item.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import type { FallRef } from '#shared/store/rules/fall-answer.ts';
import type { opening } from './contract.ts';

export type LinkCall = { params: { address: string }; fail: (code: 'address_unknown') => never };
type LinkDeps = Deps<(typeof opening)[number]>;
/** The link recipient. `userId` is null for a link in a message to a bot webhook, which several people may read. */
type Recipient = { userId: number | null; name: string };
/** What a link can acknowledge: a hit, or a fall or other urgent event that has no hit. */
type LinkTarget = { hitId: number } | { fall: FallRef };
/** The content shown on the page. Without a hit there are no messages and no escalation. */
export type LinkedContent = Pick<HitItem, 'sensorId' | 'sensorEventId' | 'createDate' | 'messages'> &
  Partial<Pick<HitItem, 'acknowledgement' | 'escalation'>> & { situation: Situation };
/** `message`: the message index in the hit, or -1 without a hit. */
export type LinkedAlarm = {
  target: LinkTarget;
  content: LinkedContent;
  customerId: number;
  message: number;
  recipient: Recipient;
};

const mayLogIn = ({ canLogin, lostAccess }: UserItem): boolean => canLogin && !lostAccess;

/** Returns the user, or fails the request if the user no longer has access to the customer or may not log in. */
const readUser = async ({ store }: LinkDeps, customerId: number, userId: number, { fail }: LinkCall) => {
  const user = await store.recipients.person(customerId, userId);
  return user && mayLogIn(user) ? user : fail('address_unknown');
};

const readKey = async ({ store, decryptLinkKey }: LinkDeps, { fail }: LinkCall): Promise<string> => {
  const encrypted = await store.addressKeys.get();
  return encrypted === null ? fail('address_unknown') : decryptLinkKey(encrypted);
};

const hitOfLink = async (call: LinkCall, deps: LinkDeps): Promise<LinkedAlarm> => {
  const { params, fail } = call;
  const { store, now } = deps;
  const claim = parseLinkToken(params.address) ?? fail('address_unknown');
  if (claim.until * 1_000 <= now()) return fail('address_unknown');
  const { hitId, message } = claim;
  const customerId = customerOfHit(hitId);
  const [found, key] = await Promise.all([store.ruleHits.get(customerId, hitId), readKey(deps, call)]);
  const content = found ?? fail('address_unknown');
  if (!hasValidSignature(key, claim, content.sensorEventId)) return fail('address_unknown');
  const { publisher = 'webhook', accountId = 0, extra } = content.messages[message] ?? {};
  const userId = publisher === 'webhook' ? null : accountId;
  if (userId !== null) await readUser(deps, customerId, userId, call);
  return { target: { hitId }, content, customerId, message, recipient: { userId, name: extra?.display_name ?? '' } };
};

const fallOfLink = async (
  call: LinkCall,
  deps: LinkDeps,
  claim: FallClaim & { signature: string },
): Promise<LinkedAlarm> => {
  const { fail } = call;
  const { store, now } = deps;
  const { customerId, userId, sensorId, uuid } = claim;
  if (claim.until * 1_000 <= now() || !isSignedFall(await readKey(deps, call), claim)) return fail('address_unknown');
  const [user, found, event] = await Promise.all([
    readUser(deps, customerId, userId, call),
    store.falls.ofAlarm(customerId, sensorId, uuid, now() - EVENT_RETENTION),
    store.events.get(customerId, sensorId, uuid),
  ]);
  const fall = found ?? fail('address_unknown');
  const { createDate, ...named } = event ?? fail('address_unknown');
  const situation = urgentSituationOf(named) ?? fail('address_unknown');
  const { acknowledgement } = await store.fallAnswers.get(fall);
  return {
    target: { fall },
    content: {
      sensorId,
      sensorEventId: uuid,
      situation,
      createDate,
      messages: [],
      ...withAcknowledgement(acknowledgement),
    },
    customerId,
    message: -1,
    recipient: { userId, name: nameOfUser(user) },
  };
};

/** Returns an object to spread that contains the acknowledgement, or an empty object if there is none. */
export const withAcknowledgement = (acknowledgement: HitItem['acknowledgement']) =>
  acknowledgement === undefined ? {} : { acknowledgement };

/**
 * Returns the alarm and the recipient for a link. A user's link works only while that user has access to the customer
 * and may log in.
 */
export const alarmOfLink = async (call: LinkCall, deps: LinkDeps): Promise<LinkedAlarm> => {
  const claim = parseFallToken(call.params.address);
  return claim ? fallOfLink(call, deps, claim) : hitOfLink(call, deps);
};
