import type { Log } from '../log.ts';
import type { Publish } from '../publish.ts';
import type { Refusal } from './messages.ts';
import { topicsOf } from './topics.ts';

/** What a device is told of a refused message: the reason, and the UUID if it was a single message that has one. */
export type Refused = { reason: Refusal | 'rate_limited' | 'credentials_invalid'; uuid?: string };

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
