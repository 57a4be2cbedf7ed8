import type { Clock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import type { Random } from '../../lib/local/random.ts';
import type { Client } from '../fixtures/client.ts';
import { adminOf } from '../fixtures/home.ts';
import type { FaultWorld } from './world.ts';

/** What a story finds: a world, with homes that it may change for its run, and chance. */
export type Scene = FaultWorld & { chance: Random };

const SESSION_MS = 10 * 3_600_000;

/** A system admin who is logged in, whatever the time: sessions end after a day. */
export const adminsOf = (cloud: Cloud, { now }: Pick<Clock, 'now'>) => {
  let session: { client: Client; until: number } | undefined;
  return async (): Promise<Client> => {
    if (!session || session.until <= now()) session = { client: await adminOf(cloud.url), until: now() + SESSION_MS };
    return session.client;
  };
};
