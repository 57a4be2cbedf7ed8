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

const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const rows: [name: string, transport: Transport, calls: ReportBatching][] = [
  ['HTTP, one per call', 'HTTP', 'report'],
  ['HTTP, five per call', 'HTTP', 'fiveReports'],
  ['MQTT, plain topic', 'MQTT', 'report'],
  ['MQTT, Basic Ingest', 'Basic Ingest', 'report'],
  ['MQTT, Basic Ingest, five per message', 'Basic Ingest', 'fiveReports'],
];

test.each(rows)('README.md states the cost of reports: %s', (name, transport, calls) => {
  const million = (totalOf(costsOf(works[calls], transport)) * 1e6) / (calls === 'report' ? 1 : 5);
  const month = Math.round(10_000 * totalOf(sensorMonth(transport, calls))).toLocaleString('en');
  expect(text).toContain(`| ${name} | ${million.toFixed(2)} | ${month} |`);
});
