import { BASE_PATH } from './base-path.ts';

/** The path of the webhook that receives the falls of the canary. */
export const CANARY_PATH = '/canary';
/** The URL of the canary's webhook. `publicUrl` is the URL of the service without /api/v1. */
export const canaryUrl = (publicUrl: string): string => publicUrl + BASE_PATH + CANARY_PATH;
/** Whether a webhook belongs to the canary. Users cannot create a webhook with its URL. */
export const isOfCanary = (webhook: { url: string | null } | null | undefined, publicUrl: string): boolean =>
  webhook?.url === canaryUrl(publicUrl);
/** The interval (s) between falls of the canary. */
export const CANARY_SECONDS = 300;
