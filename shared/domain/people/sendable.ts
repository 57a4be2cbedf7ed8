import { type ChannelKind, channelKinds } from './channel.ts';

/** The message kinds a host can send, and those it only writes to files in the outbox. */
export type SendableKinds = { CHANNEL_KINDS: readonly ChannelKind[]; OUTBOX_KINDS: readonly ChannelKind[] };

/**
 * Returns what a host can send. `hasService`: the kinds with a configured service. If there is an outbox, messages of
 * any other kind become files.
 */
export const sendableKinds = (
  hasService: Readonly<Record<ChannelKind, boolean>>,
  { hasOutbox }: { hasOutbox: boolean },
): SendableKinds => ({
  CHANNEL_KINDS: channelKinds.filter((kind) => hasOutbox || hasService[kind]),
  OUTBOX_KINDS: channelKinds.filter((kind) => hasOutbox && !hasService[kind]),
});

/** Returns the problem to report for a channel the host cannot send through, and the values for the error message. */
export const notOffered = ({ CHANNEL_KINDS }: Pick<SendableKinds, 'CHANNEL_KINDS'>) =>
  ['channel_not_offered', { choices: CHANNEL_KINDS.join(', ') || '-' }] as const;
