import { createECDH } from 'node:crypto';

/** Makes the pair of keys that pushes are signed with (RFC 8292) of 32 random bytes, as texts of base64url. */
export const pushKeysOf = (random: Uint8Array): { publicKey: string; privateKey: string } => {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(random);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: Buffer.from(random).toString('base64url') };
};

/** Is this a point of the curve that pushes are encrypted with? */
export const isPushPoint = (point: string): boolean => {
  try {
    const curve = createECDH('prime256v1');
    // Any key does: only the point is judged.
    curve.setPrivateKey(Buffer.alloc(32, 1));
    curve.computeSecret(point, 'base64url');
    return true;
  } catch {
    return false;
  }
};
