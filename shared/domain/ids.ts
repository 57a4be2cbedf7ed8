import { createHash } from 'node:crypto';

/** 2025-01-01T00:00:00Z. With ms counted from here, 41 bits last until 2094. */
export const ID_EPOCH = 1_735_689_600_000;
const SLOTS = 4_096;

/**
 * Returns a time-ordered integer below 2^53: 41 bits for the ms since ID_EPOCH, and 12 random bits. Only a conditional
 * write makes it unique. If the write fails, the writer generates another id or uses the next integer.
 */
export const timeOrderedId = (now: number, random: number): number =>
  Math.max(0, Math.floor(now) - ID_EPOCH) * SLOTS + (random % SLOTS);

/** Returns the time (ms) encoded in an id. */
export const timeOfId = (id: number): number => Math.floor(id / SLOTS) + ID_EPOCH;

/** Returns the smallest id that could be generated at or after `time` (ms). */
export const firstIdAt = (time: number): number => timeOrderedId(time, 0);

/**
 * Returns a function that generates ids in order, starting after `last`, so that among events with the same time, each
 * id is larger than the one before.
 */
export const orderedIds = (generate: (time: number) => number, last?: { id: number; createDate: number }) => {
  let before = last;
  return (createDate: number): number => {
    const id = before?.createDate === createDate ? before.id + 1 : generate(createDate);
    before = { id, createDate };
    return id;
  };
};

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const crockford = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = CROCKFORD[Number(rest & 31n)] + text;
  return text;
};

/** Returns a ULID: 10 characters for the time (ms) and 16 for the bytes. The same time and bytes yield the same id. */
const ulid = (time: number, bytes: Uint8Array): string =>
  crockford(BigInt(time), 10) + crockford(BigInt(`0x${Buffer.from(bytes.subarray(0, 10)).toString('hex')}`), 16);

/** Returns the time (ms) encoded in a ULID. */
export const timeOfUlid = (id: string): number =>
  [...id.slice(0, 10)].reduce((time, character) => time * 32 + CROCKFORD.indexOf(character), 0);

/** Returns a string that sorts before all ULIDs from `time` (ms) onward and after all earlier ULIDs. */
export const firstUlidAt = (time: number): string => crockford(BigInt(Math.min(Math.max(0, time), 2 ** 48)), 10);

const Z_BASE_32 = 'ybndrfg8ejkmcpqxot1uwisza345h769';

/** Encodes bytes as z-base-32 without padding: 16 bytes become 26 characters (D2 "Authentication" 1). */
export const zBase32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((chunk) => Z_BASE_32[Number.parseInt(chunk.padEnd(5, '0'), 2)]).join('');
};

const asUuid = (bytes: Uint8Array, version: number): string => {
  const b = Uint8Array.from(bytes.subarray(0, 16));
  b[6] = ((b[6] ?? 0) & 0x0f) | (version << 4);
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(b)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** Returns the 16 bytes of a UUIDv4, given 16 random bytes. */
export const uuidV4Bytes = (random: Uint8Array): Uint8Array =>
  Buffer.from(asUuid(random, 4).replaceAll('-', ''), 'hex');

/** The namespace for all UUIDv5s derived by the service. */
const NAMESPACE = Buffer.from('5e7a0c1d9b2f4c6e8a3d1f0b7c9e2d4a', 'hex');

/** Derives a UUIDv5: the same parts yield the same UUID. */
export const uuidV5 = (...parts: readonly (string | number)[]): string =>
  asUuid(createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest(), 5);

/** Returns a short hash, long enough to recognize repeated text from one sensor. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Derives a ULID: the same time and parts yield the same id. */
export const derivedUlid = (time: number, ...parts: readonly (string | number)[]): string =>
  ulid(time, createHash('sha256').update(JSON.stringify(parts)).digest());

/** Generates a UUIDv4. */
export const randomUuid = (random: (bytes: number) => Uint8Array): string => asUuid(random(16), 4);

/** Generates a ULID. */
export const randomUlid = (time: number, random: (bytes: number) => Uint8Array): string => ulid(time, random(10));
