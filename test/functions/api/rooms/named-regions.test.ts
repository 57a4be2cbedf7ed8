import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

const room = {
  sensorMounting: 'wall',
  xMin: 180,
  xMax: 180,
  yMax: 350,
  yMin: 30,
  zMin: 0,
  zMax: 180,
  sensorHeight: 150,
  enterDuration: 120,
  exitDuration: 120,
};
const bed = { kind: 'bed', name: 'Bed', topLeftX: -50, topLeftY: 100, bottomRightX: 50, bottomRightY: 0 };

let cloud: Cloud;
let client: Client;
let sensorId: string;
beforeAll(async () => {
  cloud = await startTestCloud();
  ({ client } = await createHome(await adminOf(cloud.url), 'home', ALL_PERMISSIONS));
  ({ sensorId } = await linkSensor(client));
});
afterAll(() => cloud.stop());
const put = (...regions: object[]) => client.call('PUT', `/sensors/${sensorId}/room`, { ...room, regions });

describe('a region named in a rule', () => {
  let rule: object;
  let receiver: Receiver;
  afterAll(() => receiver.stop());
  beforeAll(async () => {
    const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
    receiver = await startReceiver();
    const hook = { name: 'n', format: 'full', url: receiver.url, isCustomerHook: false, botId: bot.id };
    const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
    const texts = { name: 'n', title: 't', message: 'm', situation: 'fall_detected' };
    rule = { ...texts, sensorId, recipients: [{ botId: bot.id, webhookId }] };
  });
  const idOfBed = async (): Promise<string | undefined> => {
    const answer = await put(bed);
    return (answer.body as { regions: { id: string }[] }).regions[0]?.id;
  };

  test('a region used in rules cannot be removed', async () => {
    const regionId = await idOfBed();
    const created = [];
    for (const isEnabled of [true, false])
      created.push(await client.ok<{ id: number; name: string }>('POST', '/rules', { ...rule, regionId, isEnabled }));
    await client.ok('POST', '/rules', rule);
    const answer = await put({ ...bed, kind: 'default' });
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        message: `Rules use regions missing from this room: ${created.map(({ id, name }) => `"${name}" (${id})`).join(', ')}. Change or delete these rules first`,
        statusCode: 409,
      },
    ]);
    const [still] = await client.ok<{ id: string }[]>('GET', `/sensors/${sensorId}/room/regions`);
    expect(still?.id).toBe(regionId);
    // The region can be moved and renamed, and removed once no rule names it.
    expect(await put({ ...bed, kind: 'default', id: regionId, name: 'Sofa' })).toMatchObject({ status: 200 });
    for (const { id } of created) await client.ok('DELETE', `/rules/${id}`);
    expect(await put()).toMatchObject({ status: 200 });
  });

  test('removing a region and creating a rule for it cannot both succeed', async () => {
    for (let round = 0; round < 15; round++) {
      const regionId = await idOfBed();
      const [removal, creation] = await Promise.all([
        put(),
        client.call('POST', '/rules', { ...rule, regionId, name: `round ${round}` }),
      ]);
      expect([
        [200, 400],
        [409, 201],
      ]).toContainEqual([removal.status, creation.status]);
      if (creation.status === 201) await client.ok('DELETE', `/rules/${(creation.body as { id: number }).id}`);
    }
  });
});
