import type { Publish } from '../aws/publish.ts';
import type { Log } from '../observability/log.ts';
import type { Refusal, Warning } from './messages.ts';
import { topicsOf } from './topics.ts';

/** Publications that a broker does not take: on another topic, to be retained, with QoS 2. */
export type Forbidden = 'topic' | 'retained' | 'qos';

/**
 * What a device is told of messages that were refused, or (`not_understood`) taken without being wholly understood: the
 * reason, and the UUID if it was a single message that has one.
 */
export type Refused = {
  reason: Refusal | Forbidden | 'rate_limited' | 'credentials_invalid' | 'not_understood';
  uuid?: string;
  warnings?: readonly Warning[];
};

/**
 * Publishes to devices over MQTT. Never fails: devices also fetch their configuration by themselves, and a refusal may be
 * lost. `notify` is null where there is no MQTT.
 */
export const teller = (publish: Publish | undefined, log: Log) => {
  const tell = (sensorId: string, topic: string, what: object): Promise<void> =>
    Promise.resolve(publish?.(topic, JSON.stringify(what))).catch((error: unknown) =>
      log('warn', 'a device was not told by MQTT', { sensorId, topic }, error),
    );
  return {
    notify: publish
      ? (sensorId: string, version: string) => tell(sensorId, topicsOf(sensorId).config, { version })
      : null,
    refuseMessage: (sensorId: string, why: Refused) => tell(sensorId, topicsOf(sensorId).refused, why),
  };
};
export type Teller = ReturnType<typeof teller>;
