import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { seedHits } from '#test/fixtures/hits.ts';

const NOW = 1_795_240_868_348;
let cloud: Cloud;
let customerId = 1_000;
let hit: HitItem;
beforeAll(async () => {
  cloud = await startTestCloud();
});
beforeEach(async () => {
  const log = { customerId: ++customerId, sensors: ['s'], count: 1, from: NOW, stepMs: 0 };
  hit = (await seedHits(cloud.runtime.table, log))[0] ?? expect.unreachable();
});
afterAll(() => cloud.stop());

const its = () => store(cloud.runtime.table);
const hitKey = () => ({ customerId, hitId: hit.id });
const by = (name: string, date: number) => ({ userId: null, name, date });
const readHit = () => its().ruleHits.get(customerId, hit.id);
const lateChanges = async () => {
  const pk = items.lateChange.pk({ customerId });
  return (await cloud.runtime.table.queryAll<{ updateDate: number }>({ pk })).map(({ updateDate }) => updateDate);
};

describe('acknowledgements', () => {
  test('50 simultaneous acknowledgements result in one acknowledgement and one notice', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `person ${at}`);
    const makes = names.map((name) => its().acknowledgements.make(hitKey(), by(name, hit.updateDate), 0));
    const made = await Promise.all(makes);
    const winner = (await readHit())?.acknowledgement;
    expect(made.map((answer) => answer?.hit.acknowledgement)).toEqual(Array(50).fill(winner));
    const notices = made.flatMap((answer) => answer?.notice ?? []);
    expect(notices).toMatchObject([{ customerId, sensorId: 's', receiveDate: winner?.date }]);
    const [{ uuid = '' } = {}] = notices;
    expect(await its().events.notice(customerId, 's', uuid)).toMatchObject({
      notice: 'acknowledged',
      acknowledgement: { ruleHitId: hit.id, ...winner },
    });
  });

  test('an acknowledgement counts as a late change only if made more than 10 s after the hit', async () => {
    await its().acknowledgements.make(hitKey(), by('Anna', hit.createDate + SOON_MS), 0);
    expect([(await readHit())?.isLate, await lateChanges()]).toEqual([undefined, []]);
    await its().acknowledgements.withdraw(hitKey(), () => true, 0, hit.createDate + SOON_MS + 1);
    expect([(await readHit())?.isLate, await lateChanges()]).toEqual([true, [hit.createDate + SOON_MS + 1]]);
  });

  test('acknowledging a missing or old hit returns null', async () => {
    expect(await its().acknowledgements.make(hitKey(), by('Anna', NOW), hit.createDate + 1)).toBeNull();
    expect(await its().acknowledgements.make({ customerId, hitId: 1 }, by('Anna', NOW), 0)).toBeNull();
    expect(await its().acknowledgements.withdraw(hitKey(), () => true, hit.createDate + 1, NOW)).toBeNull();
  });
});
