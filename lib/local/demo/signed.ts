import { createHmac } from 'node:crypto';
import type { Received } from './receiver.ts';

const PREFIX = 'whsec_';

/** Checks both signatures of a request as its receiver does. `secret` is any text, or `whsec_` followed by Base64. */
export const isSigned = ({ headers, body }: Received, secret: string): boolean => {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const own = createHmac('sha256', secret).update(body).digest('hex');
  return headers['webhook-signature'] === `v1,${standard}` && headers['x-service-cloud-signature'] === `sha256=${own}`;
};
