import type { Device } from '#shared/domain/sensor/sensor.ts';
import { parseMessages, type Sender } from '#shared/ingest/messages.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import { textOf } from './published.ts';

/** How long (s) a device may take to connect again before its last will counts. */
export const RECONNECT_SECONDS = 10;
/**
 * How long (ms) after the authorization of a new connection the last will of the old connection may be published: AWS
 * IoT closes the old connection when it accepts the new one.
 */
const TAKEOVER_MS = 2_000;

/**
 * Whether a message can be the last will of a connection: it only reports that its device is offline, and it has no
 * time. AWS IoT publishes a will even if the device has reconnected, and does not mark it.
 */
export const mayBeWill = ({ manufacturer }: Sender, { payload, receiveDate = 0 }: Published): boolean => {
  const read = parseMessages(textOf(payload) ?? '', { manufacturer }, receiveDate);
  const [first, ...others] = 'refusal' in read ? [] : read.messages;
  if (!first || others.length > 0) return false;
  const { signal, deviceTime } = first.decoded;
  return signal.kind === 'online' && !signal.isOnline && deviceTime === null;
};

/** Whether the device of a postponed last will has connected again. */
export const isReplaced = ({ connectDate = 0 }: Pick<Device, 'connectDate'>, published: Published): boolean =>
  published.isPostponed === true && connectDate > (published.receiveDate ?? 0) - TAKEOVER_MS;
