import type { Clock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Random } from '#lib/local/random.ts';
import type { Client } from '../fixtures/client.ts';
import { adminOf } from '../fixtures/home.ts';
import type { FaultWorld } from './world.ts';

/** The environment for a scenario: a world, homes the scenario may change during its run, and random numbers. */
export type Scene = FaultWorld & { chance: Random };

const SESSION_MS = 10 * 3_600_000;

/** Creates a function that logs in a system admin, and renews the login before the session ends. */
export const adminsOf = (cloud: Cloud, { now }: Pick<Clock, 'now'>) => {
  let session: { client: Client; until: number } | undefined;
  return async (): Promise<Client> => {
    if (!session || session.until <= now()) session = { client: await adminOf(cloud.url), until: now() + SESSION_MS };
    return session.client;
  };
};
