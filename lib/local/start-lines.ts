import { isUnnamedLoopback, type LoopbackPolicy } from '#shared/delivery/loopback-target.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { type ChannelKind, channelKinds } from '#shared/domain/people/channel.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { isLoopback } from './http/listening.ts';

/** What is missing on a host that cannot send through a channel. */
const missing = {
  email: 'SMTP_URL is not set',
  sms: 'SMS_URL is not set',
  push: 'push services need a public contact (set PUSH_CONTACT)',
  telegram: 'TELEGRAM_TOKEN is not set',
} as const satisfies Record<ChannelKind, string>;

type Sendable = Pick<Settings, 'CHANNEL_KINDS' | 'OUTBOX_KINDS'>;

/** Returns a line for each channel through which the service reaches no one. */
export const channelLines = ({ CHANNEL_KINDS, OUTBOX_KINDS }: Sendable, dataDir: string): string[] => {
  const place = dataDir === ':memory:' ? 'printed here' : `written to ${dataDir}/outbox`;
  return channelKinds.flatMap((kind) => {
    if (OUTBOX_KINDS.includes(kind)) return [`${kind}: messages are only ${place} (OUTBOX), because ${missing[kind]}`];
    return CHANNEL_KINDS.includes(kind) ? [] : [`${kind}: not offered, because ${missing[kind]}`];
  });
};

type Links = Sendable & { host: string; configuredUrl: string; url: string };

/**
 * Returns a line about the address in links, unless `configuredUrl` (PUBLIC_URL) sets it. The line names the detected
 * `url`, or warns that people who get messages on other machines cannot open it.
 */
export const linkLines = ({ host, configuredUrl, url, CHANNEL_KINDS, OUTBOX_KINDS }: Links): string[] => {
  if (configuredUrl !== '') return [];
  if (!isLoopback(host)) return [`links in messages lead to ${url}; set PUBLIC_URL to change that`];
  const leavesMachine = CHANNEL_KINDS.some((kind) => kind !== 'push' && !OUTBOX_KINDS.includes(kind));
  return leavesMachine
    ? [`warning: links in messages lead to ${url}, which only this machine can open: set PUBLIC_URL or HOST`]
    : [];
};

/** The maximum number of webhooks named in one line. */
const MAX_NAMES = 10;

/**
 * Returns a line about webhooks that point to a loopback address although the host is open to a network. Such a host
 * rejects new webhooks of this kind unless ALLOWED_TARGET_RANGES allows them.
 */
export const loopbackLines = (webhooks: readonly WebhookRecord[], settings: LoopbackPolicy): string[] => {
  const names = webhooks
    .filter(({ url }) => url !== null && isUnnamedLoopback(url, settings))
    .map(({ name, customerId }) => `${asText(name)} (customer ${customerId})`);
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  return [
    'warning: webhooks lead to programs on this machine, although HOST opens the service to others; to confirm that, set ' +
      `ALLOWED_TARGET_RANGES: ${[...names.slice(0, MAX_NAMES), ...more].join(', ')}`,
  ];
};
