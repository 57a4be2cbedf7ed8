import { BASE_PATH } from './base-path.ts';

/** Where the falls of the canary come back. */
export const CANARY_PATH = '/canary';
/** Its address, by the address of the service without /api/v1. */
export const canaryUrl = (publicUrl: string): string => publicUrl + BASE_PATH + CANARY_PATH;
/** The interval (s) of its falls. */
export const CANARY_SECONDS = 300;
