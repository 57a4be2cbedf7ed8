import { createCipheriv, createDecipheriv } from 'node:crypto';

/** A cipher that binds each ciphertext to a context: it can be decrypted only with the same context. */
export type Cipher = {
  encrypt: (plain: Uint8Array, context: string) => Promise<Uint8Array>;
  decrypt: (sealed: Uint8Array, context: string) => Promise<Uint8Array>;
};

/**
 * Encrypts secrets that must be read again, such as those that sign deliveries. `context` is the id of the secret's
 * owner.
 */
export type Vault = {
  seal: (plain: string, context: string) => Promise<string>;
  /** Decrypts what `seal` made. Rejects for any other text. */
  open: (kept: string, context: string) => Promise<string>;
};

/** Starts every sealed text, and tells how it was sealed. */
const MARK = '\n1:';
/** How many decrypted secrets a process keeps, so that most deliveries need no call to KMS. */
const REMEMBERED = 1_000;

export const createVault = ({ encrypt, decrypt }: Cipher): Vault => {
  const opened = new Map<string, Promise<string>>();
  const read = async (kept: string, context: string): Promise<string> =>
    Buffer.from(await decrypt(Buffer.from(kept.slice(MARK.length), 'base64'), context)).toString('utf8');
  return {
    seal: async (plain, context) =>
      MARK + Buffer.from(await encrypt(Buffer.from(plain, 'utf8'), context)).toString('base64'),
    open: async (kept, context) => {
      if (!kept.startsWith(MARK)) throw new Error('a secret is not sealed');
      const name = `${context}${kept}`;
      const known = opened.get(name) ?? read(kept, context);
      // The map is in order of use: the first entry is the least recently used one.
      opened.delete(name);
      opened.set(name, known);
      for (const oldest of opened.keys()) {
        if (opened.size <= REMEMBERED) break;
        opened.delete(oldest);
      }
      known.catch(() => opened.delete(name));
      return known;
    },
  };
};

const ALGORITHM = 'aes-256-gcm';
/** Lengths in bytes. */
const NONCE = 12;
const TAG = 16;

/** Makes an AES-256-GCM cipher with a key of 32 bytes. */
export const cipherOf = (key: Uint8Array, random: (bytes: number) => Uint8Array): Cipher => ({
  encrypt: async (plain, context) => {
    const nonce = random(NONCE);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
    const bytes = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]);
  },
  decrypt: async (sealed, context) => {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
  },
});
