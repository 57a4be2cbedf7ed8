import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cost of an argon2 hash: memory in KiB, number of passes, number of lanes. */
export type HashCost = { memory: number; passes: number; parallelism: number };
/** The cost recommended by OWASP. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const standard: HashCost = { memory: 19 * 1_024, passes: 2, parallelism: 1 };
const TAG = 32;

const derive = (password: string, nonce: Uint8Array, cost: HashCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { message: password, nonce, tagLength: TAG, ...cost }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    );
  });

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
type Hash = { cost: HashCost; salt: Buffer; tag: Buffer };

const parse = (hash: string): Hash | null => {
  const [, m, t, p, salt = '', tag = ''] = form.exec(hash) ?? [];
  if (!m) return null;
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
};

/**
 * Returns functions that hash and verify passwords. New hashes have this `cost`. Hashes with a different cost stay
 * valid.
 */
export const createPasswords = (cost = standard, random: (bytes: number) => Uint8Array = randomBytes) => {
  const dummy: Hash = { cost, salt: Buffer.alloc(16, 1), tag: Buffer.alloc(TAG) };
  return {
    /** Returns the argon2id hash of a password in the PHC string format, with a new random salt. */
    hash: async (password: string): Promise<string> => {
      const salt = random(16);
      const { memory: m, passes: t, parallelism: p } = cost;
      return `$argon2id$v=19$m=${m},t=${t},p=${p}$${b64(salt)}$${b64(await derive(password, salt, cost))}`;
    },

    /**
     * Whether the password matches the hash, computed at the cost stored in the hash. Without a hash (no user has that
     * name), returns false after the same amount of time.
     */
    verify: async (password: string, hash: string | null): Promise<boolean> => {
      const known = hash === null ? null : parse(hash);
      const { cost, salt, tag } = known ?? dummy;
      const actual = await derive(password, salt, cost);
      return known !== null && tag.length === TAG && timingSafeEqual(actual, tag);
    },

    /** Whether the hash has a different cost than new hashes. The next login replaces such a hash. */
    isOutdated: (hash: string): boolean => {
      const old = parse(hash)?.cost;
      return old?.memory !== cost.memory || old.passes !== cost.passes || old.parallelism !== cost.parallelism;
    },
  };
};
export type Passwords = ReturnType<typeof createPasswords>;
