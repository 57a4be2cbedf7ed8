import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an acknowledgement link allows: to acknowledge a hit in the name of a message's recipient, until a time (s). */
type Claim = { hitId: number; message: number; until: number };

const FORM = /^(\d{1,16})-(\d{1,6})-(\d{1,12})-([\w-]{22})$/;
/** 128 bits cannot be guessed and keep the link short. */
const BYTES = 16;

// The signature covers the event, because after a recovery of the table another hit may have the number of a lost one.
const signatureOf = (key: string, { hitId, message, until }: Claim, eventUuid: string): Buffer =>
  createHmac('sha256', key).update(`${hitId}-${message}-${until}-${eventUuid}`).digest().subarray(0, BYTES);

/** Returns the last part of an acknowledgement link: always the same for the same claim and key. */
export const linkTokenOf = (key: string, claim: Claim, eventUuid: string): string =>
  `${claim.hitId}-${claim.message}-${claim.until}-${signatureOf(key, claim, eventUuid).toString('base64url')}`;

/** Parses the last part of a link without checking its signature. Null if it is malformed. */
export const parseLinkToken = (address: string): (Claim & { signature: string }) | null => {
  const [, hitId, message, until, signature = ''] = FORM.exec(address) ?? [];
  if (signature === '') return null;
  return { hitId: Number(hitId), message: Number(message), until: Number(until), signature };
};

/** Whether this key signed the claim for a hit of this event. */
export const hasValidSignature = (
  key: string,
  { signature, ...claim }: Claim & { signature: string },
  eventUuid: string,
): boolean => timingSafeEqual(signatureOf(key, claim, eventUuid), Buffer.from(signature, 'base64url'));
