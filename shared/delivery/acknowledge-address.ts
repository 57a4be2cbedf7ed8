import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an address acknowledges: a hit, in the name of the recipient of one of its messages, until a time (s). */
type Claim = { hitId: number; message: number; until: number };

const FORM = /^(\d{1,16})-(\d{1,6})-(\d{1,12})-([\w-]{22})$/;
/** 128 bits: nobody guesses them, and the address stays short. */
const BYTES = 16;

// The event is signed too: after a recovery of the table another hit may have the number of one that was lost.
const signatureOf = (key: string, { hitId, message, until }: Claim, eventUuid: string): Buffer =>
  createHmac('sha256', key).update(`${hitId}-${message}-${until}-${eventUuid}`).digest().subarray(0, BYTES);

/** The last part of an address. The same claim and key always give the same one. */
export const addressOf = (key: string, claim: Claim, eventUuid: string): string =>
  `${claim.hitId}-${claim.message}-${claim.until}-${signatureOf(key, claim, eventUuid).toString('base64url')}`;

/** Reads an address without its signature being checked. Null: it is none. */
export const readAddress = (address: string): (Claim & { signature: string }) | null => {
  const [, hitId, message, until, signature = ''] = FORM.exec(address) ?? [];
  if (signature === '') return null;
  return { hitId: Number(hitId), message: Number(message), until: Number(until), signature };
};

/** Did this key sign the claim, for a hit of this event? */
export const isSigned = (
  key: string,
  { signature, ...claim }: Claim & { signature: string },
  eventUuid: string,
): boolean => timingSafeEqual(signatureOf(key, claim, eventUuid), Buffer.from(signature, 'base64url'));
