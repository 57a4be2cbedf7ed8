import { failpoints } from '#shared/runtime/failpoints.ts';
import { awsErrors } from '../aws.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const ALL = { page: 0, perPage: 5_000 };
const CHANGES = 6;

/** Somebody creates, renames and deletes bots; afterwards every change that is in the table has its line. */
const changing = async (scene: Scene): Promise<Story> => {
  const { homes, stores, fresh } = scene;
  const { client, customerId } = homes.birch;
  const first = fresh('bot');
  const second = fresh('renamed');
  const made = new Set<number>();
  const change = async () => {
    for (let at = 0; at < CHANGES; at++) {
      const { status, body } = await client.call('POST', '/bots', { name: first, locale: 'de' });
      if (status !== 201) continue;
      const { id } = body as { id: number };
      made.add(id);
      await client.call('PUT', `/bots/${id}`, { name: second, locale: 'de' });
      if (at % 2 === 0) await client.call('DELETE', `/bots/${id}`);
    }
  };
  return {
    atOnce: change,
    amid: change,
    after: async () => {
      const bots = (await stores.bots.list(customerId)).filter(({ name }) => name === first || name === second);
      const { data } = await stores.audit.page(customerId, [0, Number.MAX_SAFE_INTEGER - 1], ALL);
      const lines = new Set(data.map(({ operation, object }) => `${operation} ${object.id}`));
      for (const { id } of bots) await client.ok('DELETE', `/bots/${id}`);
      const left = new Set(bots.map(({ id }) => id));
      const changes = [
        ...[...made, ...left].map((id) => `createBot ${id}`),
        ...bots.filter(({ name }) => name === second).map(({ id }) => `updateBot ${id}`),
        ...[...made].filter((id) => !left.has(id)).map((id) => `deleteBot ${id}`),
      ];
      return changes.filter((change) => !lines.has(change)).map((change) => `no line of ${change}`);
    },
  };
};

/** Faults amid which people change things. */
export const ofAudit: readonly Fault[] = [
  {
    title: 'things are changed while processes die: no change is without its line in the audit',
    rates: { crashes: failpoints, crash: 0.25 },
    steps: 1,
    story: changing,
  },
  {
    title: 'things are changed while calls of the table fail: no change is without its line in the audit',
    rates: { refusal: 0.1, lostAnswer: 0.1 },
    steps: 1,
    story: changing,
  },
  {
    title: 'things are changed while answers to writes are lost: no change is without its line in the audit',
    rates: { awsErrors: [awsErrors.unsaid], aws: 0.2 },
    steps: 1,
    story: changing,
  },
];
