import { createCipheriv, createDecipheriv } from 'node:crypto';

/** A cipher that binds each ciphertext to a context. Decryption requires the same context. */
export type Cipher = {
  encrypt: (plain: Uint8Array, context: string) => Promise<Uint8Array>;
  decrypt: (encrypted: Uint8Array, context: string) => Promise<Uint8Array>;
};

/**
 * Encrypts secrets that must be readable later, such as those used to sign deliveries. `context`: the id of the secret
 * owner.
 */
export type Vault = {
  seal: (plain: string, context: string) => Promise<string>;
  /** Decrypts a result of `seal`. Rejects anything else. */
  open: (encrypted: string, context: string) => Promise<string>;
};

/** The prefix of all encrypted text, with the encryption version. */
const MARK = '\n1:';
/** The number of decrypted secrets cached per process, so that most deliveries do not have to call KMS. */
const MAX_CACHED = 1_000;

export const createVault = ({ encrypt, decrypt }: Cipher): Vault => {
  const cache = new Map<string, Promise<string>>();
  const read = async (encrypted: string, context: string): Promise<string> =>
    Buffer.from(await decrypt(Buffer.from(encrypted.slice(MARK.length), 'base64'), context)).toString('utf8');
  return {
    seal: async (plain, context) =>
      MARK + Buffer.from(await encrypt(Buffer.from(plain, 'utf8'), context)).toString('base64'),
    open: async (encrypted, context) => {
      if (!encrypted.startsWith(MARK)) throw new Error('a secret is not encrypted');
      const name = `${context}${encrypted}`;
      const known = cache.get(name) ?? read(encrypted, context);
      // The map is ordered by use, so the first entry is the least recently used one.
      cache.delete(name);
      cache.set(name, known);
      for (const oldest of cache.keys()) {
        if (cache.size <= MAX_CACHED) break;
        cache.delete(oldest);
      }
      known.catch(() => cache.delete(name));
      return known;
    },
  };
};

const ALGORITHM = 'aes-256-gcm';
/** Lengths in bytes. */
const NONCE = 12;
const TAG = 16;

/** Returns an AES-256-GCM cipher with a 32-byte key. */
export const aesCipher = (key: Uint8Array, random: (bytes: number) => Uint8Array): Cipher => ({
  encrypt: async (plain, context) => {
    const nonce = random(NONCE);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
    const bytes = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]);
  },
  decrypt: async (encrypted, context) => {
    const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(encrypted.subarray(NONCE + TAG)), decipher.final()]);
  },
});
