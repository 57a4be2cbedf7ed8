import type { Connection } from './connection.ts';

/** The maximum number of messages whose acknowledgement is pending. */
const MAX_IN_FLIGHT = 16;

/**
 * Publishes the newest message of each topic, as retained messages. Of the messages that a broker has not taken yet,
 * only the newest of each topic is kept, which limits the memory that a slow broker costs.
 */
export const createPublisher = (connection: Pick<Connection, 'isOpen' | 'publish'>) => {
  const pending = new Map<string, string>();
  const published = new Map<string, string>();
  let inFlight = 0;

  const send = async (topic: string, payload: string): Promise<void> => {
    inFlight += 1;
    published.set(topic, payload);
    // After a failure the connection is replaced, and everything is published anew.
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
    /** Removes the retained message of a topic from the broker. */
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
