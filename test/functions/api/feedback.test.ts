import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { PageOf } from '#shared/domain/page.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { store } from '#shared/store/store.ts';
import { createAlarm, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { type Linked, type SensorCloud, startSensorCloud } from '#test/fixtures/sensors.ts';

const DAY = 86_400_000;
let its: SensorCloud;
let receiver: Receiver;
beforeAll(async () => {
  [its, receiver] = await Promise.all([startSensorCloud(), startReceiver()]);
  await createAlarm(its.home.client, receiver.url);
});
afterAll(async () => {
  await Promise.all([its.cloud.stop(), receiver.stop()]);
});

const opinion = { referenceDate: 1_795_240_868_348, reason: 'dog', classification: 'FALSE_POSITIVE' };
const pathOf = ({ sensorId }: Linked) => `/sensors/${sensorId}/feedback`;
const give = (sensor: Linked, more: object = {}) =>
  its.home.client.ok<Feedback>('POST', pathOf(sensor), { ...opinion, ...more });
const listOf = async (sensor: Linked, query = 'perPage=200') => {
  const [page] = await its.home.client.ok<PageOf<Feedback>[]>('GET', `${pathOf(sensor)}?${query}`);
  if (!page) throw new Error('no page');
  return page;
};
const remove = (sensor: Linked, { id }: Feedback) => its.home.client.call('DELETE', `${pathOf(sensor)}/${id}`);
const hitsPath = () => `/customers/${its.home.customerId}/rule-hits`;
const feedbackOfHit = async (hitId: number) => {
  const hit = await its.home.client.ok<RuleHit>('GET', `${hitsPath()}/${hitId}`);
  const [page] = await its.home.client.ok<PageOf<RuleHit>[]>('GET', `${hitsPath()}?sensorId=${hit.sensorId}`);
  expect(page?.data.find(({ id }) => id === hitId)?.feedback).toEqual(hit.feedback);
  return hit.feedback;
};
/** Links a sensor that reports a fall. Returns the sensor and the rule hit. */
const createSensorWithHit = async () => {
  const sensor = await linkSensor(its.home.client);
  await its.say(sensor, fallMessage('calling', its.now()));
  const [page] = await its.home.client.ok<PageOf<RuleHit>[]>('GET', `${hitsPath()}?sensorId=${sensor.sensorId}`);
  const [hit] = page?.data ?? [];
  if (!hit) throw new Error('no hit');
  return { sensor, hit };
};

describe('feedback', () => {
  test('stores feedback with its author', async () => {
    const { sensor, hit } = await createSensorWithHit();
    const echo = { id: 1, accountId: 1, forwardToMakerA: false, sensorId: 'id_other', createDate: 5 };
    const first = await give(sensor, {
      ...echo,
      description: 'lay down',
      ruleHitId: hit.id,
      eventId: hit.sensorEventId,
    });
    expect(first).toEqual({
      ...opinion,
      description: 'lay down',
      ruleHitId: hit.id,
      eventId: hit.sensorEventId,
      id: first.id,
      createDate: first.createDate,
      updateDate: first.createDate,
      sensorId: sensor.sensorId,
      accountId: its.home.userId,
      forwardToMakerA: false,
    });
    expect(first.id).toBeGreaterThan(1);
    const others = [await give(sensor), await give(sensor)];
    expect(others[0]).toMatchObject({ description: '', ruleHitId: null, eventId: null });
    const ids = [...others, first].map(({ id }) => id).sort((a, b) => b - a);
    expect((await listOf(sensor)).data.map(({ id }) => id)).toEqual(ids);
    expect(await listOf(sensor, 'perPage=2&page=1')).toMatchObject({ total: 3, data: [{ id: ids[2] }] });
  });

  test('feedback is not forwarded if the maker has no feedback URL configured', async () => {
    expect((await give(await linkSensor(its.home.client))).forwardToMakerA).toBe(false);
  });

  test("returns 400 for feedback about another sensor's rule hit or event", async () => {
    const { sensor } = await createSensorWithHit();
    const { hit } = await createSensorWithHit();
    const uuid = '00000000-0000-4000-8000-000000000000';
    for (const [path, id] of [
      ['ruleHitId', hit.id],
      ['ruleHitId', 987_654],
      ['eventId', hit.sensorEventId],
      ['eventId', uuid],
    ] as const) {
      const refused = await its.home.client.call('POST', pathOf(sensor), { ...opinion, [path]: id });
      expect([refused.status, refused.body], path).toMatchObject([400, { errors: [{ path }] }]);
    }
    for (const bad of [{ referenceDate: 0 }, { reason: '' }, { classification: '' }, { description: 'x'.repeat(257) }])
      expect((await its.home.client.call('POST', pathOf(sensor), { ...opinion, ...bad })).status).toBe(400);
    expect((await listOf(sensor)).total).toBe(0);
  });

  test('feedback expires after 120 days', async () => {
    const sensor = await linkSensor(its.home.client);
    const { id } = await give(sensor);
    const { feedback } = store(its.cloud.runtime.table);
    const later = its.now() + 121 * DAY;
    const page = { page: 0, perPage: 10 };
    const { customerId } = its.home;
    expect(await feedback.list(customerId, sensor.sensorId, later, page)).toMatchObject({ total: 0, data: [] });
    expect(await feedback.remove(customerId, sensor.sensorId, id, later)).toBe(false);
    expect(await feedback.list(customerId, sensor.sensorId, its.now(), page)).toMatchObject({ total: 1 });
  });
});

describe('feedback shown by a rule hit', () => {
  test('a rule hit shows the latest feedback, ignoring deleted feedback', async () => {
    const { sensor, hit } = await createSensorWithHit();
    expect(await feedbackOfHit(hit.id)).toBeNull();
    const first = await give(sensor, { ruleHitId: hit.id });
    const second = await give(sensor, { ruleHitId: hit.id });
    await give(sensor);
    const [older, newer] = first.id < second.id ? [first, second] : [second, first];
    expect(await feedbackOfHit(hit.id)).toEqual(newer);
    expect((await remove(sensor, newer)).status).toBe(200);
    expect(await feedbackOfHit(hit.id)).toEqual(older);
    expect([(await remove(sensor, newer)).status, (await listOf(sensor)).total]).toEqual([404, 2]);
    const third = await give(sensor, { ruleHitId: hit.id });
    expect((await remove(sensor, older)).status).toBe(200);
    expect(await feedbackOfHit(hit.id)).toEqual(third);
    expect((await remove(sensor, third)).status).toBe(200);
    expect(await feedbackOfHit(hit.id)).toBeNull();
  });

  test('a rule hit shows the latest feedback after concurrent additions and deletions', async () => {
    const { sensor, hit } = await createSensorWithHit();
    const giveOne = async () =>
      (await its.home.client.call('POST', pathOf(sensor), { ...opinion, ruleHitId: hit.id })).status;
    for (let count = 0; count < 10; count++) expect(await giveOne()).toBe(201);
    const { data: early } = await listOf(sensor);
    const statuses = await Promise.all(
      early.flatMap((entry) => [giveOne(), remove(sensor, entry).then(({ status }) => status)]),
    );
    expect(statuses.filter((status) => ![200, 201].includes(status))).toEqual([]);
    const { data } = await listOf(sensor);
    expect(await feedbackOfHit(hit.id)).toEqual(data[0] ?? null);
    for (const entry of data) expect((await remove(sensor, entry)).status).toBe(200);
    expect(await feedbackOfHit(hit.id)).toBeNull();
  });
});
