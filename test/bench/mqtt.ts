import { join } from 'node:path';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';
import { a } from '../fixtures/messages.ts';
import { createDevice } from '../fixtures/mqtt.ts';
import { settledCpu } from './cpu.ts';
import type { Figure } from './figures.ts';
import { AT_A_TIME, linkSensors, many, SENSORS } from './site.ts';

const REPORTS = 1_000;
/** The rounds of each way, in turn. The first ones warm the host up, and are not counted. */
const ROUNDS = 3;

type Way = 'HTTP' | 'MQTT';
type Spent = { perSecond: number; cpu: number };

/** A report that changes nothing, but for the first one of its sensor. */
const report = () => a.presence(true);

const figuresOf = (ways: Record<Way, Spent>): Figure[] => [
  ...Object.entries(ways).flatMap(([way, { perSecond, cpu }]): Figure[] => [
    { name: `1,000 unchanged reports over ${way}: acknowledged`, value: perSecond, unit: '1/s' },
    { name: `1,000 unchanged reports over ${way}: CPU`, value: cpu, unit: 's' },
  ]),
  {
    name: 'a report over MQTT: acknowledged',
    value: ways.MQTT.perSecond / ways.HTTP.perSecond,
    unit: 'x HTTP',
  },
  {
    name: 'a report over MQTT: CPU',
    value: ways.MQTT.cpu / ways.HTTP.cpu,
    unit: 'x HTTP',
  },
];

/**
 * Sends 1,000 reports of 40 sensors by MQTT (QoS 1) and by POST to the same host. Measures the time until they are
 * acknowledged, and until they are processed.
 */
export const measureMqtt = async (folder: string): Promise<Figure[]> => {
  const host = await startHost({ DATA_DIR: join(folder, 'mqtt'), MQTT_PORT: '0' });
  const url = host.lines.find((line) => line.startsWith('mqtt '))?.slice('mqtt '.length) ?? '';
  try {
    const { client } = await createHome(await adminOf(host.url), 'maple', ALL_PERMISSIONS);
    const sensors = await linkSensors(client, SENSORS);
    const devices = await Promise.all(sensors.map((sensor) => createDevice(url, sensor)));
    const say: Record<Way, (at: number) => Promise<unknown>> = {
      HTTP: async (at) => sensors[at]?.device.ok('POST', `/devices/${sensors[at]?.sensorId}/messages`, report()),
      MQTT: async (at) => devices[at]?.say(report()),
    };
    const ways: Partial<Record<Way, Spent>> = {};
    for (let round = 0; round < ROUNDS; round++)
      for (const way of ['HTTP', 'MQTT'] as const) {
        const before = await settledCpu(host.pid);
        const seconds = await many(REPORTS, AT_A_TIME, (at) => say[way](at % SENSORS));
        ways[way] = { perSecond: REPORTS / seconds, cpu: (await settledCpu(host.pid)) - before };
      }
    await Promise.all(devices.map((device) => device.end()));
    return figuresOf(ways as Record<Way, Spent>);
  } finally {
    await host.end('SIGTERM');
  }
};
