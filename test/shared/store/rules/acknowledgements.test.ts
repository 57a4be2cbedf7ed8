import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { SOON } from '#shared/store/hits/late-change.ts';
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

const all = () => store(cloud.runtime.table);
const place = () => ({ customerId, hitId: hit.id });
const by = (name: string, date: number) => ({ userId: null, name, date });
const kept = () => all().ruleHits.get(customerId, hit.id);
const lateOnes = async () => {
  const pk = items.lateChange.pk({ customerId });
  return (await cloud.runtime.table.queryAll<{ updateDate: number }>({ pk })).map(({ updateDate }) => updateDate);
};

describe('acknowledgements', () => {
  test('50 in the millisecond of the last change of the hit: one stands, and one notice tells of it', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `person ${at}`);
    const makes = names.map((name) => all().acknowledgements.make(place(), by(name, hit.updateDate), 0));
    const made = await Promise.all(makes);
    const winner = (await kept())?.acknowledgement;
    expect(made.map((answer) => answer?.hit.acknowledgement)).toEqual(Array(50).fill(winner));
    const notices = made.flatMap((answer) => answer?.notice ?? []);
    expect(notices).toMatchObject([{ customerId, sensorId: 's', receiveDate: winner?.date }]);
    const [{ uuid = '' } = {}] = notices;
    expect(await all().events.notice(customerId, 's', uuid)).toMatchObject({
      notice: 'acknowledged',
      acknowledgement: { ruleHitId: hit.id, ...winner },
    });
  });

  test('a change within 10 s needs no note among the late ones, a later one has one', async () => {
    await all().acknowledgements.make(place(), by('Anna', hit.createDate + SOON), 0);
    expect([(await kept())?.isLate, await lateOnes()]).toEqual([undefined, []]);
    await all().acknowledgements.takeBack(place(), () => true, 0, hit.createDate + SOON + 1);
    expect([(await kept())?.isLate, await lateOnes()]).toEqual([true, [hit.createDate + SOON + 1]]);
  });

  test('of a hit that is not there, or too old, there are none', async () => {
    expect(await all().acknowledgements.make(place(), by('Anna', NOW), hit.createDate + 1)).toBeNull();
    expect(await all().acknowledgements.make({ customerId, hitId: 1 }, by('Anna', NOW), 0)).toBeNull();
    expect(await all().acknowledgements.takeBack(place(), () => true, hit.createDate + 1, NOW)).toBeNull();
  });
});
