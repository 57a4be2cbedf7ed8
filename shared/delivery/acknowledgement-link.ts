import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The claim in an acknowledgement link: the link may acknowledge a hit on behalf of the message recipient until the
 * given time (s).
 */
type Claim = { hitId: number; message: number; until: number };

const FORM = /^(\d{1,16})-(\d{1,6})-(\d{1,12})-([\w-]{22})$/;
/** 128 bits cannot be guessed and keep the link short. */
const BYTES = 16;

// The signature covers the event, because after the table is restored, a new hit may get the number of a lost hit.
const signatureOf = (key: string, { hitId, message, until }: Claim, eventUuid: string): Buffer =>
  createHmac('sha256', key).update(`${hitId}-${message}-${until}-${eventUuid}`).digest().subarray(0, BYTES);

/** Returns the last part of an acknowledgement link. The same claim and key always yield the same string. */
export const linkTokenOf = (key: string, claim: Claim, eventUuid: string): string =>
  `${claim.hitId}-${claim.message}-${claim.until}-${signatureOf(key, claim, eventUuid).toString('base64url')}`;

/** Parses the last part of a link without checking the signature. Null if it is malformed. */
export const parseLinkToken = (address: string): (Claim & { signature: string }) | null => {
  const [, hitId, message, until, signature = ''] = FORM.exec(address) ?? [];
  if (signature === '') return null;
  return { hitId: Number(hitId), message: Number(message), until: Number(until), signature };
};

/** Whether this key signed the claim for a hit that belongs to this event. */
export const hasValidSignature = (
  key: string,
  { signature, ...claim }: Claim & { signature: string },
  eventUuid: string,
): boolean => timingSafeEqual(signatureOf(key, claim, eventUuid), Buffer.from(signature, 'base64url'));

/**
 * The claim in a link to a fall or another urgent event: the link may acknowledge it on behalf of a user until the
 * given time (s).
 */
export type FallClaim = { customerId: number; userId: number; until: number; sensorId: string; uuid: string };

/** The first character distinguishes these links from links to hits, which begin with a digit. */
const FALL_FORM = /^f(\d{1,16})-(\d{1,16})-(\d{1,12})-([\w-]{22})([\w-]{22})-([\w-]{1,26})$/;

const fallSignatureOf = (key: string, { customerId, userId, until, sensorId, uuid }: FallClaim): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['fall', customerId, userId, until, sensorId, uuid]))
    .digest()
    .subarray(0, BYTES);

const shortUuid = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
const longUuid = (short: string): string =>
  Buffer.from(short, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Returns the last part of a link that acknowledges an alarm without a rule. The same claim and key always yield the
 * same string.
 */
export const fallTokenOf = (key: string, claim: FallClaim): string => {
  const { customerId, userId, until, sensorId, uuid } = claim;
  const signature = fallSignatureOf(key, claim).toString('base64url');
  return `f${customerId}-${userId}-${until}-${shortUuid(uuid)}${signature}-${sensorId}`;
};

/** Parses the last part of a link without checking the signature. Null if the link is not to a fall. */
export const parseFallToken = (address: string): (FallClaim & { signature: string }) | null => {
  const [, customerId, userId, until, uuid = '', signature = '', sensorId = ''] = FALL_FORM.exec(address) ?? [];
  if (signature === '') return null;
  const [customer, user, end] = [Number(customerId), Number(userId), Number(until)];
  return { customerId: customer, userId: user, until: end, sensorId, uuid: longUuid(uuid), signature };
};

/** Whether this key signed the claim. */
export const isSignedFall = (key: string, { signature, ...claim }: FallClaim & { signature: string }): boolean =>
  timingSafeEqual(fallSignatureOf(key, claim), Buffer.from(signature, 'base64url'));
