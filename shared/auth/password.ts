import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** Cost of a hash: memory in KiB, passes, lanes. */
export type Cost = { memory: number; passes: number; parallelism: number };
/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
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

/** Hashes of passwords, new ones at `cost`; those of another cost are good until `isOutdated` is asked. */
export const passwordsAt = (cost = standard, random: (bytes: number) => Uint8Array = randomBytes) => {
  const nobodys: Hash = { cost, salt: Buffer.alloc(16, 1), tag: Buffer.alloc(TAG) };
  return {
    /** An argon2id hash in the PHC string form, with a salt of its own. */
    hash: async (password: string): Promise<string> => {
      const salt = random(16);
      const { memory: m, passes: t, parallelism: p } = cost;
      return `$argon2id$v=19$m=${m},t=${t},p=${p}$${b64(salt)}$${b64(await derive(password, salt, cost))}`;
    },

    /**
     * Is it the password of that hash, at the cost that the hash names? Without a hash (nobody has that name) it takes
     * as long and says no.
     */
    verify: async (password: string, hash: string | null): Promise<boolean> => {
      const known = hash === null ? null : parse(hash);
      const { cost, salt, tag } = known ?? nobodys;
      const actual = await derive(password, salt, cost);
      return known !== null && tag.length === TAG && timingSafeEqual(actual, tag);
    },

    /** Was it made at another cost than today's? Then it is made again at the next login. */
    isOutdated: (hash: string): boolean => {
      const was = parse(hash)?.cost;
      return was?.memory !== cost.memory || was.passes !== cost.passes || was.parallelism !== cost.parallelism;
    },
  };
};
export type Passwords = ReturnType<typeof passwordsAt>;
