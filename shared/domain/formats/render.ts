import type { Snapshot } from '../delivery/delivery.ts';
import { renderChat } from './chat.ts';
import { renderCustom1 } from './custom-1.ts';
import type { Format } from './format.ts';
import { messageUuidIn } from './formats.ts';
import { renderFull } from './full.ts';
import { renderRaw } from './raw.ts';
import type { PayloadContext, Render } from './rendering.ts';
import { renderTeams } from './teams.ts';

/** The payload renderers by format. */
export const renderers: Readonly<Record<Format, Render>> = {
  full: renderFull,
  custom1: renderCustom1,
  raw: renderRaw,
  chat: renderChat,
  teams: renderTeams,
};

/** Renders a delivery body. Throws if the event message is missing, so that no receiver gets the event without it. */
export const render = (format: Format, snapshot: Snapshot, context: PayloadContext): string => {
  const isMissing = context.raw === null && messageUuidIn(format, snapshot) !== null && !context.isTest;
  if (isMissing) throw new Error('the message of a delivery is missing');
  return renderers[format](snapshot, context, context.raw ?? '{}');
};
