import { situationText } from '#shared/api/messages/situation-text.ts';
import { sendNotice } from '#shared/api/notices.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { isSigned, readAddress } from '#shared/delivery/acknowledge-address.ts';
import { RETENTION } from '#shared/domain/event/event.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { customerOfHit, type HitItem } from '#shared/store/hits/hit-item.ts';
import { acknowledge } from './contract.ts';
import { headers, pageOf } from './page.ts';
import { textsOf } from './texts.ts';

type Operations = (typeof acknowledge)['operations'];
type Reading = Deps<Operations['getAcknowledgePage']['uses'][number]>;
type Writing = Deps<Operations['acknowledgeByAddress']['uses'][number]>;
type Place = { params: { address: string }; fail: (code: 'address_unknown') => never };
type Acting = Pick<Call<Operations['acknowledgeByAddress']>, 'actAs'>;
/** Whom an address was given to: a user, or (`userId` null) whoever reads what a bot's webhook tells. */
type Recipient = { userId: number | null; name: string };
type Signed = { hit: HitItem; customerId: number; recipient: Recipient };

/** The hit of an address, and whom it was given to. */
const signedFor = async ({ params, fail }: Place, deps: Reading): Promise<Signed> => {
  const { store, openAddressKey, now } = deps;
  const claim = readAddress(params.address) ?? fail('address_unknown');
  if (claim.until * 1_000 <= now()) return fail('address_unknown');
  const customerId = customerOfHit(claim.hitId);
  const [found, sealed] = await Promise.all([store.ruleHits.get(customerId, claim.hitId), store.addressKeys.get()]);
  const hit = found ?? fail('address_unknown');
  const key = sealed === null ? fail('address_unknown') : await openAddressKey(sealed);
  if (!isSigned(key, claim, hit.sensorEventId)) return fail('address_unknown');
  const { publisher = 'webhook', accountId = 0, extra } = hit.messages[claim.message] ?? {};
  const userId = publisher === 'webhook' ? null : accountId;
  return { hit, customerId, recipient: { userId, name: extra?.display_name ?? '' } };
};

/**
 * Acknowledges a hit in a name, else in that of the recipient; what a user was sent is always in the user's own name. Gives
 * it with the acknowledgement that stands.
 */
const take = async (place: Place & Acting, given: string, deps: Writing) => {
  const { store, now } = deps;
  const { hit, customerId, recipient } = await signedFor(place, deps);
  const { userId } = recipient;
  const name = nameFrom(userId === null ? given : '') ?? nameFrom(recipient.name) ?? '?';
  place.actAs({ kind: 'link', id: userId === null ? null : String(userId), name }, customerId);
  const by = { userId, name, date: now() };
  const made = await store.acknowledgements.make({ customerId, hitId: hit.id }, by, now() - RETENTION);
  const { notice, hit: taken } = made ?? place.fail('address_unknown');
  if (notice) await sendNotice(deps, notice);
  return { customerId, recipient, hit: taken };
};

type Reader = { params: { address: string }; locale: string };
const page = async ({ hit, recipient }: Signed, { params, locale }: Reader): Promise<Reply<Uint8Array>> => {
  const situation = await situationText(locale, hit.situation);
  const isOfUser = recipient.userId !== null;
  return new Reply(pageOf(hit, situation, { address: params.address, isOfUser }, textsOf(locale)), { headers });
};

/** The name in a form that a browser sent. */
const nameIn = (body: string | null, isBase64Encoded: boolean): string =>
  new URLSearchParams(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('utf8')).get('name') ?? '';

export const handler = serve(acknowledge, {
  acknowledgeByAddress: async (call, deps) => (await take(call, call.body.name ?? '', deps)).hit.acknowledgement,

  getAcknowledgePage: async (call, deps) => page(await signedFor(call, deps), call),

  acknowledgeByPage: async (call, deps) => {
    const { body, isBase64Encoded } = call.event;
    return page(await take(call, nameIn(body, isBase64Encoded), deps), call);
  },
});
