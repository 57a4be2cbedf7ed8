import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';
import { createDevice } from '../fixtures/mqtt.ts';
import { cpuOf } from './cpu.ts';
import type { Figure } from './figures.ts';
import { AT_A_TIME, linkSensors, many, SENSORS } from './site.ts';

const REPORTS = 1_000;
/** The rounds of each way, in turn. The first ones warm the host up, and are not counted. */
const ROUNDS = 3;

type Way = 'HTTP' | 'MQTT';
type Spent = { perSecond: number; cpu: number };

let said = 0;
/** The message of a fall for which no rule and no webhook exists. Each one starts later than the one before. */
const report = () => fallMessage('calling', Date.now() - 3_600_000 + ++said);

/** Gives the CPU time of the host once it is idle. */
const settledCpu = async (pid: number): Promise<number> => {
  for (let before = await cpuOf(pid); ; ) {
    await sleep(1_000);
    const now = await cpuOf(pid);
    if (now - before < 0.05) return now;
    before = now;
  }
};

const figuresOf = (ways: Record<Way, Spent>): Figure[] => [
  ...Object.entries(ways).flatMap(([way, { perSecond, cpu }]): Figure[] => [
    { name: `1,000 reports over ${way}: acknowledged`, value: perSecond, unit: '1/s' },
    { name: `1,000 reports over ${way}: CPU`, value: cpu, unit: 's', note: 'until all was worked off' },
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
  const dataDir = join(folder, 'mqtt');
  const host = await startHost({ DATA_DIR: dataDir, MQTT_PORT: '0' });
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
        const after = await settledCpu(host.pid);
        ways[way] = { perSecond: REPORTS / seconds, cpu: after - before };
      }
    await Promise.all(devices.map((one) => one.end()));
    return figuresOf(ways as Record<Way, Spent>);
  } finally {
    await host.end('SIGTERM');
  }
};
