import { failpoints } from '#shared/runtime/failpoints.ts';
import { awsErrors } from '../aws.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const ALL = { page: 0, perPage: 5_000 };
const CHANGES = 6;

/** A user creates, renames and deletes bots. Every change in the table must have an audit line. */
const changing = async (scene: Scene): Promise<Story> => {
  const { homes, stores, fresh } = scene;
  const { client, customerId } = homes.birch;
  const first = fresh('bot');
  const second = fresh('renamed');
  const created = new Set<number>();
  const change = async () => {
    for (let at = 0; at < CHANGES; at++) {
      const { status, body } = await client.call('POST', '/bots', { name: first, locale: 'de' });
      if (status !== 201) continue;
      const { id } = body as { id: number };
      created.add(id);
      await client.call('PUT', `/bots/${id}`, { name: second, locale: 'de' });
      if (at % 2 === 0) await client.call('DELETE', `/bots/${id}`);
    }
  };
  return {
    atOnce: change,
    duringRetries: change,
    after: async () => {
      const bots = (await stores.bots.list(customerId)).filter(({ name }) => name === first || name === second);
      const { data } = await stores.audit.page(customerId, [0, Number.MAX_SAFE_INTEGER - 1], ALL);
      const lines = new Set(data.map(({ operation, object }) => `${operation} ${object.id}`));
      for (const { id } of bots) await client.ok('DELETE', `/bots/${id}`);
      const left = new Set(bots.map(({ id }) => id));
      const changes = [
        ...[...created, ...left].map((id) => `createBot ${id}`),
        ...bots.filter(({ name }) => name === second).map(({ id }) => `updateBot ${id}`),
        ...[...created].filter((id) => !left.has(id)).map((id) => `deleteBot ${id}`),
      ];
      return changes.filter((change) => !lines.has(change)).map((change) => `no audit line for ${change}`);
    },
  };
};

/** Faults while users make changes. */
export const ofAudit: readonly Fault[] = [
  {
    title: 'bots are changed while processes die: every change has an audit line',
    rates: { crashes: failpoints, crash: 0.25 },
    steps: 1,
    story: changing,
  },
  {
    title: 'bots are changed while table calls fail: every change has an audit line',
    rates: { refusal: 0.1, lostResponse: 0.1 },
    steps: 1,
    story: changing,
  },
  {
    title: 'bots are changed while write responses are lost: every change has an audit line',
    rates: { awsErrors: [awsErrors.lost], aws: 0.2 },
    steps: 1,
    story: changing,
  },
];
