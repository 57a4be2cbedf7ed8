import type * as z from 'zod';
import { ChatPayload } from './chat-payload.ts';
import { Custom1Payload } from './custom-1-payload.ts';
import type { Format } from './format.ts';
import { FullPayload } from './full-payload.ts';
import { RawPayload } from './raw-payload.ts';
import { TeamsPayload } from './teams-payload.ts';

/**
 * The payload schemas by format, with examples. Only the OpenAPI document uses them. No function needs them at run
 * time.
 */
export const payloads: Readonly<Record<Format, z.ZodType>> = {
  full: FullPayload,
  custom1: Custom1Payload,
  raw: RawPayload,
  chat: ChatPayload,
  teams: TeamsPayload,
};
