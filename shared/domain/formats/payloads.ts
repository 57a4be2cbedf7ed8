import type * as z from 'zod';
import { Custom1Payload } from './custom-1-payload.ts';
import type { Format } from './format.ts';
import { FullPayload } from './full-payload.ts';
import { RawPayload } from './raw-payload.ts';

/** What receivers get, by format: for the OpenAPI document, which shows their examples. No function needs them at work. */
export const payloads: Readonly<Record<Format, z.ZodType>> = {
  full: FullPayload,
  custom1: Custom1Payload,
  raw: RawPayload,
};
