import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Encrypts for a context: what was encrypted for one is of no use in another. */
export type Cipher = {
  encrypt: (plain: Uint8Array, context: string) => Promise<Uint8Array>;
  decrypt: (sealed: Uint8Array, context: string) => Promise<Uint8Array>;
};

/** Keeps secrets that must be read again, such as those that sign a delivery. `context`: the id of what they belong to. */
export type Vault = {
  seal: (plain: string, context: string) => Promise<string>;
  /** Gives back what was sealed; what never was, as it is. */
  open: (kept: string, context: string) => Promise<string>;
};

/** No secret or token has a line break: what starts so is sealed. */
const MARK = '\n1:';
/** Opened secrets that a process remembers, so that a delivery asks nobody for its key. */
const REMEMBERED = 1_000;

export const createVault = ({ encrypt, decrypt }: Cipher): Vault => {
  const opened = new Map<string, Promise<string>>();
  const read = async (kept: string, context: string): Promise<string> =>
    Buffer.from(await decrypt(Buffer.from(kept.slice(MARK.length), 'base64'), context)).toString('utf8');
  return {
    seal: async (plain, context) =>
      MARK + Buffer.from(await encrypt(Buffer.from(plain, 'utf8'), context)).toString('base64'),
    open: async (kept, context) => {
      if (!kept.startsWith(MARK)) return kept;
      const name = `${context}${kept}`;
      const known = opened.get(name) ?? read(kept, context);
      // The one that was not used for longest is the first.
      opened.delete(name);
      opened.set(name, known);
      for (const oldest of opened.keys()) if (opened.size > REMEMBERED) opened.delete(oldest);
      known.catch(() => opened.delete(name));
      return known;
    },
  };
};

const [ALGORITHM, NONCE, TAG] = ['aes-256-gcm', 12, 16] as const;

/** AES-256-GCM with a key of 32 bytes at hand. */
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
