import * as z from 'zod';
import { int32 } from '../values.ts';

/** 16..256 printable ASCII characters. */
export const SecretKey = z.string().regex(/^[\x20-\x7e]{16,256}$/);

/** The body of a request that changes only the secret. */
export const NewSecret = z
  .object({ secretKey: SecretKey.nullable(), overlapSeconds: int32(0, 604_800).default(0) })
  .meta({ id: 'SecretRotation', examples: [{ secretKey: 'an-example-of-a-secret', overlapSeconds: 86_400 }] });
