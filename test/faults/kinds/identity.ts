import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { createDevice } from '#test/fixtures/mqtt.ts';
import { postFall } from '../falls.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const HOUR = 3_600_000;

/** A sensor registers again, and the response is lost. It keeps using the old token until a response arrives. */
const lostRegistration = async (scene: Scene): Promise<Story> => {
  const { homes, stores, admin, answered, cloud, step } = scene;
  const { birch } = homes;
  birch.sensor = await linkSensor(birch.client);
  const { sensorId } = birch.sensor;
  const { hardwareId } = (await stores.sensors.get(birch.customerId, sensorId)) ?? {};
  const maker = (await admin()).as(PROVISIONING_KEY);
  const register = async () => {
    const { deviceToken } = birch.sensor;
    const body = { manufacturer: 'maker_a', hardwareId, firmwareVersion: 43, deviceToken };
    for (;;) {
      const { status, body: answer } = await answered(maker.call('POST', '/devices/register', body));
      if (status === 200) return answer as { deviceToken: string };
      if (status !== 503) throw new Error(`the registration got the status ${status}`);
      await cloud.idle();
    }
  };
  return {
    atOnce: async (also) => {
      await register();
      also(await postFall(scene, birch));
      await step(HOUR);
      await register();
      also(await postFall(scene, birch));
      const { deviceToken } = await register();
      birch.sensor = { ...birch.sensor, deviceToken, device: birch.client.as(deviceToken) };
      also(await postFall(scene, birch));
    },
  };
};

/** A sensor gives several falls the same uuid, over HTTP and MQTT. Each must raise an alarm. */
const reusedUuid = async (scene: Scene): Promise<Story> => {
  const { homes, clock, cloud, chance, answered, stores } = scene;
  const { client, customerId } = homes.birch;
  const sensor = await linkSensor(client);
  const { sensorId } = sensor;
  const uuid = crypto.randomUUID();
  const start = clock.now() - HOUR;
  const FALLS = 4;
  return {
    atOnce: async () => {
      const overMqtt = await createDevice(cloud.mqttUrl ?? '', sensor);
      for (let fall = 0; fall < FALLS; fall++) {
        const message = { ...fallMessage('calling', start + fall * 60_000), uuid };
        const send = () => answered(sensor.device.call('POST', `/devices/${sensorId}/messages`, message));
        if (fall % 2 === 1) await overMqtt.say(message);
        else while ((await send()).status !== 202) await cloud.idle();
        if (chance() < 0.5) await cloud.idle();
      }
      await cloud.idle();
      await overMqtt.end();
    },
    after: async () => {
      const { data, delivered } = await ownEvents(scene, customerId, sensorId);
      const falls = data.filter(({ action }) => action === 'fall_detected');
      const { hits } = await stores.hitLists.pageOfSensor(customerId, sensorId, 0, {
        page: 0,
        perPage: 50,
        sortBy: 'asc(id)',
      });
      return [
        ...(falls.length === FALLS ? [] : [`${falls.length} alarms for ${FALLS} falls with one uuid`]),
        ...falls.filter((event) => !delivered.has(event.uuid)).map((event) => `${event.uuid} was not delivered`),
        ...(new Set(hits.map(({ sensorEventId }) => sensorEventId)).size === hits.length
          ? []
          : ['two hits for one fall']),
      ];
    },
  };
};

/** Faults in the identity of sensors and messages. */
export const ofIdentity: readonly Fault[] = [
  {
    title: 'responses to sensor registrations are lost: falls are accepted with the former token',
    falls: 'one',
    story: lostRegistration,
  },
  {
    title: 'registrations are lost while table calls fail: falls are accepted with the former token',
    rates: { refusal: 0.1, lostResponse: 0.1 },
    falls: 'one',
    story: lostRegistration,
  },
  {
    title: 'a sensor reuses a uuid over HTTP and MQTT: each fall raises an alarm',
    falls: 'one',
    story: reusedUuid,
  },
  {
    title: 'a sensor reuses a uuid while messages are received twice and processes die: each fall raises one alarm',
    rates: {
      crashes: ['process.judged', 'process.decided', 'process.hits_written', 'process.applied'],
      crash: 0.3,
      doubleMessage: 0.3,
      lostDeletion: 0.3,
    },
    falls: 'one',
    story: reusedUuid,
  },
];
