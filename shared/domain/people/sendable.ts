import { type ChannelKind, channelKinds } from './channel.ts';

/** The kinds of messages that a host can send, and the kinds that it only writes to files in its outbox. */
export type SendableKinds = { CHANNEL_KINDS: readonly ChannelKind[]; OUTBOX_KINDS: readonly ChannelKind[] };

/**
 * Returns what a host can send. `hasService`: the kinds for which it has a service; with an outbox, messages of all
 * other kinds become files.
 */
export const sendableKinds = (
  hasService: Readonly<Record<ChannelKind, boolean>>,
  { hasOutbox }: { hasOutbox: boolean },
): SendableKinds => ({
  CHANNEL_KINDS: channelKinds.filter((kind) => hasOutbox || hasService[kind]),
  OUTBOX_KINDS: channelKinds.filter((kind) => hasOutbox && !hasService[kind]),
});

/** Returns the problem of a channel that the host cannot send through, and the values in its text. */
export const notOffered = ({ CHANNEL_KINDS }: Pick<SendableKinds, 'CHANNEL_KINDS'>) =>
  ['channel_not_offered', { choices: CHANNEL_KINDS.join(', ') || '-' }] as const;
