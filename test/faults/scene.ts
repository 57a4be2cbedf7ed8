import type { Clock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import type { Client } from '../fixtures/client.ts';
import { adminOf } from '../fixtures/home.ts';
import type { Chance } from './chance.ts';
import type { Home } from './homes.ts';
import type { ChaosReceiver } from './receiver.ts';

/** What a story finds: two homes, a receiver, and somebody who may do everything. */
export type Scene = {
  cloud: Cloud;
  receiver: ChaosReceiver;
  clock: Pick<Clock, 'now'>;
  chance: Chance;
  homes: { maple: Home; birch: Home };
  admin: () => Promise<Client>;
  /** Time passes; what is due then is worked off. */
  step: (ms: number) => Promise<void>;
  /** Until nothing waits; how much still does when that lasts too long. */
  drain: () => Promise<number>;
  /** A name that no run before has used. */
  fresh: (name: string) => string;
};

/** A system admin who is logged in, whatever the time: sessions end after a day. */
export const adminsOf = (cloud: Cloud, { now }: Pick<Clock, 'now'>) => {
  let session: { client: Client; until: number } | undefined;
  return async (): Promise<Client> => {
    if (!session || session.until <= now()) session = { client: await adminOf(cloud.url), until: now() + 36_000_000 };
    return session.client;
  };
};
