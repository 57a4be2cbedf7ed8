import { BASE_PATH } from './base-path.ts';

/** The path of the webhook that receives canary falls. */
export const CANARY_PATH = '/canary';
/** Returns the canary webhook URL. `publicUrl` is the service URL without /api/v1. */
export const canaryUrl = (publicUrl: string): string => publicUrl + BASE_PATH + CANARY_PATH;
/** Whether a webhook belongs to the canary. Users cannot create a webhook with this URL. */
export const isOfCanary = (webhook: { url: string | null } | null | undefined, publicUrl: string): boolean =>
  webhook?.url === canaryUrl(publicUrl);
/** The interval (s) between canary falls. */
export const CANARY_SECONDS = 300;
