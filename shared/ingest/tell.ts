import type { Log } from '../log.ts';
import type { Publish } from '../publish.ts';
import type { Refusal } from './messages.ts';
import { topicsOf } from './topics.ts';

/** What a device is told of a message that was not taken; its own uuid, if it is one message and has one. */
export type Refused = { reason: Refusal | 'rate_limited' | 'credentials_invalid'; uuid?: string };

/**
 * Tells devices over MQTT what concerns them. Never fails: a device also asks, and that it was refused is only news.
 * `notify` is null where there is no MQTT.
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
