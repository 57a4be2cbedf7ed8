/** Example code for a receiver to verify a request (https://www.standardwebhooks.com). */
export const verifyCode = `import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/** Whether the service sent this request. \`body\` has the bytes as received, before parsing. */
export const isGenuine = (headers, body, secret) => {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS)) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const digest = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest('base64');
  const expected = Buffer.from(\`v1,\${digest}\`);
  // While the secret is rotated, there are two signatures.
  return signatures.split(' ').some((signature) => {
    const received = Buffer.from(signature);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
};
`;
