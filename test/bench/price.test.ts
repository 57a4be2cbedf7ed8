import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  costsOf,
  type ReportBatching,
  sensorMonth,
  type Transport,
  totalOf,
  works,
} from '#lib/tools/aws/cost/costs.ts';
import { prices } from '#lib/tools/aws/cost/prices.ts';

const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const rows: [name: string, transport: Transport, calls: ReportBatching][] = [
  ['HTTP, one per call', 'HTTP', 'report'],
  ['HTTP, five per call', 'HTTP', 'fiveReports'],
  ['HTTP by a load balancer, one per call', 'load balancer', 'report'],
  ['HTTP by a load balancer, five per call', 'load balancer', 'fiveReports'],
  ['MQTT, plain topic', 'MQTT', 'report'],
  ['MQTT, Basic Ingest', 'Basic Ingest', 'report'],
  ['MQTT, Basic Ingest, five per message', 'Basic Ingest', 'fiveReports'],
];

test.each(rows)('README.md states the cost of reports: %s', (name, transport, calls) => {
  const million = (totalOf(costsOf(works[calls], transport)) * 1e6) / (calls === 'report' ? 1 : 5);
  const month = Math.round(10_000 * totalOf(sensorMonth(transport, calls))).toLocaleString('en');
  expect(text).toContain(`| ${name} | ${million.toFixed(2)} | ${month} |`);
});

test('the guide of the stack states what devices cost at each API', () => {
  const guide = readFileSync(new URL('../../lib/aws/README.md', import.meta.url), 'utf8');
  const [http = 0, balancer = 0] = (['HTTP', 'load balancer'] as const).map((transport) =>
    Math.round(10_000 * totalOf(sensorMonth(transport))),
  );
  const ofDevices = '| 10,000 sensors, [one report per call](../../test/bench/README.md#cost-of-reports-in-aws)';
  expect(guide).toContain(`${ofDevices} | USD ${http.toLocaleString('en')} | USD ${balancer}, and the 27 |`);
  const hours = (365.25 / 12) * 24;
  const atRest = hours * (prices.balancerHour + 2 * prices.publicAddressHour);
  expect(Math.round(atRest)).toBe(27);
  const perSensor = totalOf(sensorMonth('HTTP')) - totalOf(sensorMonth('load balancer'));
  expect(Math.ceil(atRest / perSensor / 100) * 100).toBe(600);
});
