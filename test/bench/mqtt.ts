import { join } from 'node:path';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';
import { a } from '../fixtures/messages.ts';
import { createDevice } from '../fixtures/mqtt.ts';
import { CONCURRENCY, linkSensors, repeat, SENSORS } from './bench-site.ts';
import { settledCpu } from './cpu.ts';
import type { Figure } from './figures.ts';

const REPORTS = 1_000;
/** Rounds per transport, alternating. Only the last round counts. The earlier ones warm up the host. */
const ROUNDS = 3;

type Transport = 'HTTP' | 'MQTT';
type Spent = { perSecond: number; cpu: number };

/** Returns a report that changes nothing, unless it is the sensor's first report. */
const report = () => a.presence(true);

const figuresOf = (results: Record<Transport, Spent>): Figure[] => [
  ...Object.entries(results).flatMap(([transport, { perSecond, cpu }]): Figure[] => [
    { name: `1,000 unchanged reports over ${transport}: acknowledged`, value: perSecond, unit: '1/s' },
    { name: `1,000 unchanged reports over ${transport}: CPU`, value: cpu, unit: 's' },
  ]),
  {
    name: 'a report over MQTT: acknowledged',
    value: results.MQTT.perSecond / results.HTTP.perSecond,
    unit: 'x HTTP',
  },
  {
    name: 'a report over MQTT: CPU',
    value: results.MQTT.cpu / results.HTTP.cpu,
    unit: 'x HTTP',
  },
];

/**
 * Sends 1,000 reports from 40 sensors by MQTT (QoS 1) and by POST to the same host. Measures the acknowledgement rate,
 * and the CPU time until all reports are processed.
 */
export const measureMqtt = async (folder: string): Promise<Figure[]> => {
  const host = await startHost({ DATA_DIR: join(folder, 'mqtt'), MQTT_PORT: '0' });
  const url = host.lines.find((line) => line.startsWith('mqtt '))?.slice('mqtt '.length) ?? '';
  try {
    const { client } = await createHome(await adminOf(host.url), 'maple', ALL_PERMISSIONS);
    const sensors = await linkSensors(client, SENSORS);
    const devices = await Promise.all(sensors.map((sensor) => createDevice(url, sensor)));
    const send: Record<Transport, (at: number) => Promise<unknown>> = {
      HTTP: async (at) => sensors[at]?.device.ok('POST', `/devices/${sensors[at]?.sensorId}/messages`, report()),
      MQTT: async (at) => devices[at]?.say(report()),
    };
    const results: Partial<Record<Transport, Spent>> = {};
    for (let round = 0; round < ROUNDS; round++)
      for (const transport of ['HTTP', 'MQTT'] as const) {
        const before = await settledCpu(host.pid);
        const seconds = await repeat(REPORTS, CONCURRENCY, (at) => send[transport](at % SENSORS));
        results[transport] = { perSecond: REPORTS / seconds, cpu: (await settledCpu(host.pid)) - before };
      }
    await Promise.all(devices.map((device) => device.end()));
    return figuresOf(results as Record<Transport, Spent>);
  } finally {
    await host.end('SIGTERM');
  }
};
