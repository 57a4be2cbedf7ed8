import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cost of an argon2 hash: memory in KiB, number of passes, number of lanes. */
export type Cost = { memory: number; passes: number; parallelism: number };
/** The cost that OWASP recommends. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const standard: Cost = { memory: 19 * 1_024, passes: 2, parallelism: 1 };
const TAG = 32;

const derive = (password: string, nonce: Uint8Array, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { message: password, nonce, tagLength: TAG, ...cost }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    );
  });

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
type Hash = { cost: Cost; salt: Buffer; tag: Buffer };

const parse = (hash: string): Hash | null => {
  const [, m, t, p, salt = '', tag = ''] = form.exec(hash) ?? [];
  if (!m) return null;
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
};

/** Makes functions that hash and verify passwords. New hashes have this `cost`; hashes of another cost stay valid. */
export const passwordsAt = (cost = standard, random: (bytes: number) => Uint8Array = randomBytes) => {
  const nobodys: Hash = { cost, salt: Buffer.alloc(16, 1), tag: Buffer.alloc(TAG) };
  return {
    /** Gives the argon2id hash of a password in the PHC string format, with a new random salt. */
    hash: async (password: string): Promise<string> => {
      const salt = random(16);
      const { memory: m, passes: t, parallelism: p } = cost;
      return `$argon2id$v=19$m=${m},t=${t},p=${p}$${b64(salt)}$${b64(await derive(password, salt, cost))}`;
    },

    /**
     * Does the password match the hash, computed at the cost that the hash names? Without a hash, because no user has
     * that name, the answer is no after the same time.
     */
    verify: async (password: string, hash: string | null): Promise<boolean> => {
      const known = hash === null ? null : parse(hash);
      const { cost, salt, tag } = known ?? nobodys;
      const actual = await derive(password, salt, cost);
      return known !== null && tag.length === TAG && timingSafeEqual(actual, tag);
    },

    /** Has the hash another cost than new hashes? Then the next login replaces it. */
    isOutdated: (hash: string): boolean => {
      const was = parse(hash)?.cost;
      return was?.memory !== cost.memory || was.passes !== cost.passes || was.parallelism !== cost.parallelism;
    },
  };
};
export type Passwords = ReturnType<typeof passwordsAt>;
