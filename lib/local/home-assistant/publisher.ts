import type { Connection } from './connection.ts';

/** The maximum number of messages awaiting acknowledgement. */
const MAX_IN_FLIGHT = 16;

/**
 * Publishes the newest message for each topic, as a retained message. Only the newest unsent message per topic is kept,
 * which limits the memory cost of a slow broker.
 */
export const createPublisher = (connection: Pick<Connection, 'isOpen' | 'publish'>) => {
  const pending = new Map<string, string>();
  const published = new Map<string, string>();
  let inFlight = 0;

  const send = async (topic: string, payload: string): Promise<void> => {
    inFlight += 1;
    published.set(topic, payload);
    // After a failure, the connection is replaced and everything is republished.
    await connection.publish(topic, payload).catch(() => published.delete(topic));
    inFlight -= 1;
    flush();
  };
  const flush = (): void => {
    for (const [topic, payload] of pending) {
      if (inFlight >= MAX_IN_FLIGHT || !connection.isOpen()) return;
      pending.delete(topic);
      void send(topic, payload);
    }
  };
  return {
    /** Publishes a message, unless the broker already has it. */
    set: (topic: string, payload: string): void => {
      if ((pending.get(topic) ?? published.get(topic)) === payload) return;
      pending.set(topic, payload);
      flush();
    },
    /** Publishes a message even if the broker appears to have it already. */
    repeat: (topic: string, payload: string): void => {
      pending.set(topic, payload);
      flush();
    },
    /** Removes a topic's retained message from the broker. */
    remove: (topic: string): void => {
      pending.set(topic, '');
      flush();
    },
    /** Forgets what was published, because the broker may have lost it. */
    forget: (): void => {
      pending.clear();
      published.clear();
    },
  };
};
export type Publisher = ReturnType<typeof createPublisher>;
