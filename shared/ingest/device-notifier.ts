import type { Publish } from '../aws/publish.ts';
import type { Log } from '../observability/log.ts';
import type { Rejection, Warning } from './messages.ts';
import { topicsOf } from './topics.ts';

/** Why a broker rejects a publication: a wrong topic, a retained message, or QoS 2. */
export type ForbiddenPublication = 'topic' | 'retained' | 'qos';

/**
 * Notifies a device that messages were rejected, or accepted without being fully understood (`not_understood`).
 * Contains the reason, and the UUID if a single message has one.
 */
export type RejectionNotice = {
  reason: Rejection | ForbiddenPublication | 'rate_limited' | 'credentials_invalid' | 'not_understood';
  uuid?: string;
  warnings?: readonly Warning[];
};

/**
 * Returns functions that publish to devices over MQTT. These functions never fail, because devices also poll for
 * configurations, and it is acceptable to lose rejections. `notify` is null if the host has no MQTT.
 */
export const deviceNotifier = (publish: Publish | undefined, log: Log) => {
  const send = (sensorId: string, topic: string, payload: object): Promise<void> =>
    Promise.resolve(publish?.(topic, JSON.stringify(payload))).catch((error: unknown) =>
      log('warn', 'could not publish to a device over MQTT', { sensorId, topic }, error),
    );
  return {
    notify: publish
      ? (sensorId: string, version: string) => send(sensorId, topicsOf(sensorId).config, { version })
      : null,
    refuseMessage: (sensorId: string, refused: RejectionNotice) => send(sensorId, topicsOf(sensorId).refused, refused),
  };
};
export type DeviceNotifier = ReturnType<typeof deviceNotifier>;
