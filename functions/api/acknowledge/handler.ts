import { situationText } from '#shared/api/messages/situation-text.ts';
import { sendNotice } from '#shared/api/notices.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { hasValidSignature, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { customerOfHit, type HitItem } from '#shared/store/hits/hit-item.ts';
import { acknowledge } from './contract.ts';
import { headers, pageOf } from './page.ts';
import { textsOf } from './texts.ts';

type Operations = (typeof acknowledge)['operations'];
type Reading = Deps<Operations['getAcknowledgePage']['uses'][number]>;
type Writing = Deps<Operations['acknowledgeByAddress']['uses'][number]>;
type LinkCall = { params: { address: string }; fail: (code: 'address_unknown') => never };
type Acting = Pick<Call<Operations['acknowledgeByAddress']>, 'actAs'>;
/** The recipient of a link: a user, or, with `userId` null, the readers of a bot's webhook. */
type Recipient = { userId: number | null; name: string };
type LinkedHit = { hit: HitItem; customerId: number; recipient: Recipient };

/** Returns the rule hit of a link, and the recipient of the link. */
const hitOfLink = async ({ params, fail }: LinkCall, deps: Reading): Promise<LinkedHit> => {
  const { store, decryptLinkKey, now } = deps;
  const claim = parseLinkToken(params.address) ?? fail('address_unknown');
  if (claim.until * 1_000 <= now()) return fail('address_unknown');
  const customerId = customerOfHit(claim.hitId);
  const [found, encryptedKey] = await Promise.all([
    store.ruleHits.get(customerId, claim.hitId),
    store.addressKeys.get(),
  ]);
  const hit = found ?? fail('address_unknown');
  const key = encryptedKey === null ? fail('address_unknown') : await decryptLinkKey(encryptedKey);
  if (!hasValidSignature(key, claim, hit.sensorEventId)) return fail('address_unknown');
  const { publisher = 'webhook', accountId = 0, extra } = hit.messages[claim.message] ?? {};
  const userId = publisher === 'webhook' ? null : accountId;
  return { hit, customerId, recipient: { userId, name: extra?.display_name ?? '' } };
};

/**
 * Acknowledges a hit, and returns it with its acknowledgement, which may be an earlier one. The link of a user always
 * acknowledges in the name of that user; any other takes the entered name, or else that of the recipient.
 */
const acknowledgeHit = async (call: LinkCall & Acting, enteredName: string, deps: Writing) => {
  const { store, now } = deps;
  const { hit, customerId, recipient } = await hitOfLink(call, deps);
  const { userId } = recipient;
  const name = nameFrom(userId === null ? enteredName : '') ?? nameFrom(recipient.name) ?? '?';
  call.actAs({ kind: 'link', id: userId === null ? null : String(userId), name }, customerId);
  const by = { userId, name, date: now() };
  const result = await store.acknowledgements.make({ customerId, hitId: hit.id }, by, now() - EVENT_RETENTION);
  const { notice, hit: acknowledged } = result ?? call.fail('address_unknown');
  if (notice) await sendNotice(deps, notice);
  return { customerId, recipient, hit: acknowledged };
};

type PageCall = { params: { address: string }; locale: string };
const page = async ({ hit, recipient }: LinkedHit, { params, locale }: PageCall): Promise<Reply<Uint8Array>> => {
  const situation = await situationText(locale, hit.situation);
  const isOfUser = recipient.userId !== null;
  return new Reply(pageOf(hit, situation, { address: params.address, isOfUser }, textsOf(locale)), { headers });
};

/** The name entered in a submitted form. */
const nameIn = (body: string | null, isBase64Encoded: boolean): string =>
  new URLSearchParams(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('utf8')).get('name') ?? '';

export const handler = serve(acknowledge, {
  acknowledgeByAddress: async (call, deps) =>
    (await acknowledgeHit(call, call.body.name ?? '', deps)).hit.acknowledgement,

  getAcknowledgePage: async (call, deps) => page(await hitOfLink(call, deps), call),

  acknowledgeByPage: async (call, deps) => {
    const { body, isBase64Encoded } = call.event;
    return page(await acknowledgeHit(call, nameIn(body, isBase64Encoded), deps), call);
  },
});
