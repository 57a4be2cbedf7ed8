import * as z from 'zod';
import { int32 } from '../values.ts';

const PREFIX = 'whsec_';
/** Matches padded Base64, as decoded by Standard Webhooks libraries. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const KEY_BYTES = { min: 16, max: 64 };

/** Whether receivers and the service derive the same key from a secret. */
const isUnambiguous = (secret: string): boolean => {
  if (!secret.toLowerCase().startsWith(PREFIX)) return true;
  const rest = secret.slice(PREFIX.length);
  const key = Buffer.from(rest, 'base64');
  const isBase64 = BASE64.test(rest) && key.toString('base64') === rest;
  return secret.startsWith(PREFIX) && isBase64 && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max;
};

/** 16..256 printable ASCII characters. After a `whsec_` prefix, the rest is Base64. */
export const SecretKey = z
  .string()
  .regex(/^[\x20-\x7e]{16,256}$/)
  .check(({ value, issues }) => {
    const params = { key: 'standard_secret', ...KEY_BYTES };
    if (!isUnambiguous(value)) issues.push({ code: 'custom', input: value, params });
  })
  .meta({ description: 'if prefixed with whsec_, 16 to 64 bytes in Base64 (standard alphabet, padded)' });

/** The request body for changing only the secret. */
export const NewSecret = z
  .object({ secretKey: SecretKey.nullable(), overlapSeconds: int32(0, 604_800).default(0) })
  .meta({ id: 'SecretRotation', examples: [{ secretKey: 'an-example-of-a-secret', overlapSeconds: 86_400 }] });
