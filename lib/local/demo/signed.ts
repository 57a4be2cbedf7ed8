import { verify, verifySimple } from '#lib/client/verify.ts';
import type { Received } from './receiver.ts';

/** Checks both signatures of a request as its receiver does, at the time when it arrived. */
export const isSigned = async ({ headers, body, at }: Received, secret: string): Promise<boolean> => {
  const checks = [verify(headers, body, secret, { now: at }), verifySimple(headers, body, secret)];
  return (await Promise.allSettled(checks)).every(({ status }) => status === 'fulfilled');
};
