import { hasValidSignature, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { customerOfHit, type HitItem } from '#shared/store/hits/hit-item.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import type { opening } from './contract.ts';

export type LinkCall = { params: { address: string }; fail: (code: 'address_unknown') => never };
/** The recipient of a link: a user, or, with `userId` null, the readers of a bot's webhook. */
type Recipient = { userId: number | null; name: string };
/** `message`: the index of the link's own message in the hit. */
export type LinkedHit = { hit: HitItem; customerId: number; message: number; recipient: Recipient };

const mayLogIn = ({ canLogin, lostAccess }: UserItem): boolean => canLogin && !lostAccess;

/**
 * Returns the rule hit of a link, and the recipient of the link. The link of a user is good as long as that user has access
 * to the customer and may log in.
 */
export const hitOfLink = async (
  { params, fail }: LinkCall,
  { store, decryptLinkKey, now }: Deps<(typeof opening)[number]>,
): Promise<LinkedHit> => {
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
  const { message } = claim;
  const { publisher = 'webhook', accountId = 0, extra } = hit.messages[message] ?? {};
  const userId = publisher === 'webhook' ? null : accountId;
  if (userId !== null) {
    const user = await store.recipients.person(customerId, userId);
    if (!user || !mayLogIn(user)) return fail('address_unknown');
  }
  return { hit, customerId, message, recipient: { userId, name: extra?.display_name ?? '' } };
};
