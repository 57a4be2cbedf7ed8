import { type ClientOptions, createHttpClient } from '#shared/delivery/http-client.ts';
import type { PersonOutcome } from '#shared/delivery/targets/person.ts';

/** An SMS gateway: the address, and the bearer token or null. */
export type SmsGateway = { url: string; token: string | null };

/** The operator chooses the gateway, so it may have any address, even on this machine. */
const anywhere = { allowPrivate: true, allowedRanges: [], allowLoopback: true, own: [] };

/**
 * The statuses with which a gateway rejects an individual SMS because of its number or text. After any other status, a
 * retry may succeed.
 */
const finalStatuses: readonly (number | null)[] = [400, 422];

/** Returns a function that sends an SMS through a gateway. Never rejects. */
export const createSmsGateway = (
  { url, token }: SmsGateway,
  options: Pick<ClientOptions, 'deadlineMs' | 'agentOptions'>,
) => {
  const { post } = createHttpClient({ ...options, policy: anywhere });
  const authorization = token !== null && { Authorization: `Bearer ${token}` };
  return async (to: string, text: string): Promise<PersonOutcome> => {
    const headers = { 'Content-Type': 'application/json', ...authorization };
    const { status, error } = await post({ url, headers, body: JSON.stringify({ to, text }) });
    if (status !== null && status >= 200 && status < 300) return 'accepted';
    return finalStatuses.includes(status) ? 'gone' : { retry: error ?? `status_${status}` };
  };
};
