import type { Device } from '#shared/domain/sensor/sensor.ts';
import { parseMessages, type Sender } from '#shared/ingest/messages.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import { textOf } from './published.ts';

/** How long (s) a device may take to reconnect before its last will counts. */
export const RECONNECT_SECONDS = 10;
/**
 * How long (ms) the old connection's last will may still be published after a new connection is authorized. AWS IoT
 * closes the old connection when it accepts the new one.
 */
const TAKEOVER_MS = 2_000;

/**
 * Whether a message could be a last will: it only reports that the device is offline, without a time. AWS IoT does not
 * mark last wills, and publishes them even if the device has reconnected.
 */
export const mayBeWill = ({ manufacturer }: Sender, { payload, receiveDate = 0 }: Published): boolean => {
  const read = parseMessages(textOf(payload) ?? '', { manufacturer }, receiveDate);
  const [first, ...others] = 'refusal' in read ? [] : read.messages;
  if (!first || others.length > 0) return false;
  const { signal, deviceTime } = first.decoded;
  return signal.kind === 'online' && !signal.isOnline && deviceTime === null;
};

/** Whether the device has reconnected since the last will was postponed. */
export const isReplaced = ({ connectDate = 0 }: Pick<Device, 'connectDate'>, published: Published): boolean =>
  published.isPostponed === true && connectDate > (published.receiveDate ?? 0) - TAKEOVER_MS;
