import type { Snapshot } from '../delivery/delivery.ts';
import { renderChat } from './chat.ts';
import { renderCustom1 } from './custom-1.ts';
import type { Format } from './format.ts';
import { messageIn } from './formats.ts';
import { renderFull } from './full.ts';
import { renderRaw } from './raw.ts';
import type { PayloadContext, Render } from './rendering.ts';
import { renderTeams } from './teams.ts';

/** How the payloads of each format are made. */
export const renders: Readonly<Record<Format, Render>> = {
  full: renderFull,
  custom1: renderCustom1,
  raw: renderRaw,
  chat: renderChat,
  teams: renderTeams,
};

/**
 * Makes the body of a delivery. It throws if the message of the event is missing, so that no receiver gets the event
 * without its message.
 */
export const render = (format: Format, snapshot: Snapshot, around: PayloadContext): string => {
  const isMissing = around.raw === null && messageIn(format, snapshot) !== null && !around.isTest;
  if (isMissing) throw new Error('the message of a delivery is missing');
  return renders[format](snapshot, around, around.raw ?? '{}');
};
