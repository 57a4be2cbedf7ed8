import { createECDH } from 'node:crypto';

/** Returns the key pair that signs push messages (RFC 8292), derived from 32 random bytes, in base64url. */
export const pushKeysFrom = (random: Uint8Array): { publicKey: string; privateKey: string } => {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(random);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: Buffer.from(random).toString('base64url') };
};

/** Whether this is a point on the curve used to encrypt push messages. */
export const isCurvePoint = (point: string): boolean => {
  try {
    const curve = createECDH('prime256v1');
    // Any private key will do, because only the point is checked.
    curve.setPrivateKey(Buffer.alloc(32, 1));
    curve.computeSecret(point, 'base64url');
    return true;
  } catch {
    return false;
  }
};
