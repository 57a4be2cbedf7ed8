import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** Cost of a hash: memory in KiB, passes, lanes. */
type Cost = { memory: number; passes: number; parallelism: number };
const today: Cost = { memory: 19 * 1_024, passes: 2, parallelism: 1 };
const TAG = 32;

const derive = (password: string, nonce: Uint8Array, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { message: password, nonce, tagLength: TAG, ...cost }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    );
  });

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** An argon2id hash in the PHC string form, with a salt of its own. */
export const hashPassword = async (
  password: string,
  random: (bytes: number) => Uint8Array = randomBytes,
): Promise<string> => {
  const salt = random(16);
  const { memory: m, passes: t, parallelism: p } = today;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${b64(salt)}$${b64(await derive(password, salt, today))}`;
};

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
type Hash = { cost: Cost; salt: Buffer; tag: Buffer };

const parse = (hash: string): Hash | null => {
  const [, m, t, p, salt = '', tag = ''] = form.exec(hash) ?? [];
  if (!m) return null;
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
};

const nobodys: Hash = { cost: today, salt: Buffer.alloc(16, 1), tag: Buffer.alloc(TAG) };

/**
 * Is it the password of that hash, at the cost that the hash names? Without a hash (nobody has that name) it takes as
 * long and says no.
 */
export const verifyPassword = async (password: string, hash: string | null): Promise<boolean> => {
  const known = hash === null ? null : parse(hash);
  const { cost, salt, tag } = known ?? nobodys;
  const actual = await derive(password, salt, cost);
  return known !== null && tag.length === TAG && timingSafeEqual(actual, tag);
};

/** Was it made at another cost than today's? Then it is made again at the next login. */
export const isOutdated = (hash: string): boolean => {
  const cost = parse(hash)?.cost;
  return cost?.memory !== today.memory || cost.passes !== today.passes || cost.parallelism !== today.parallelism;
};

// The most common ones of 10 bytes and more; shorter ones are refused for their length.
const common = new Set(
  `1234567890 0123456789 9876543210 0987654321 12345678910 123456789a 1q2w3e4r5t 1qaz2wsx3edc qwertyuiop qwerty12345
  qwerty123456 qwertyuiop123 password12 password123 password1234 password12345 passw0rd123 p@ssword123 p@ssw0rd123
  asdfghjkl1 asdfghjkl; asdfghjkl123 zxcvbnm123 abcdefghij abc1234567 abcd123456 abcdef1234 a123456789 aa12345678
  iloveyou12 iloveyou123 letmein123 letmein1234 welcome123 welcome1234 administrator admin12345 admin123456 adminadmin
  changeme123 sunshine123 princess123 football123 baseball123 superman123 monkey1234 dragon1234 master1234 trustno1trustno1
  1111111111 0000000000 2222222222 5555555555 6666666666 7777777777 8888888888 9999999999 1212121212 1122334455 123123123123
  123456123456 1231231231 102030405060 11223344556677 qazwsxedcrfv passwordpassword test123456 testtest12 hallo12345
  passwort123 passwort1234 schatz1234 liebling123 sommer2024 sommer2025 winter2024 winter2025 summer2024 summer2025
  nurse12345 geheim1234 willkommen willkommen1`.split(/\s+/),
);

/** Is it on the list of passwords that are tried first? */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase());
