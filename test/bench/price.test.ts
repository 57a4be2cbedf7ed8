import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { costAtRest, monthOf, unitCosts } from '#lib/tools/aws/cost/at-rest.ts';
import {
  costsOf,
  monthlyCheckCosts,
  type ReportBatching,
  sensorMonth,
  type Transport,
  totalOf,
  works,
} from '#lib/tools/aws/cost/costs.ts';
import { prices } from '#lib/tools/aws/cost/prices.ts';
import { onlyShown } from '#shared/observability/metrics.ts';
import { stackSettings } from '#shared/settings/stack.ts';
import { withTable } from '../fixtures/document-table.ts';
import { production, stackOf } from '../fixtures/stack.ts';

const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const rows: [name: string, transport: Transport, calls: ReportBatching][] = [
  ['HTTP, one per request', 'HTTP', 'report'],
  ['HTTP, three per request', 'HTTP', 'threeReports'],
  ['HTTP through a load balancer, one per request', 'load balancer', 'report'],
  ['HTTP through a load balancer, three per request', 'load balancer', 'threeReports'],
  ['MQTT, plain topic', 'MQTT', 'report'],
  ['MQTT, Basic Ingest', 'Basic Ingest', 'report'],
  ['MQTT, Basic Ingest, three per message', 'Basic Ingest', 'threeReports'],
];

test('README.md states the cost of reports', async () => {
  const lines = rows.map(([name, transport, calls]) => {
    const million = (totalOf(costsOf(works[calls], transport)) * 1e6) / (calls === 'report' ? 1 : 3);
    const month = Math.round(10_000 * totalOf(sensorMonth(transport, calls))).toLocaleString('en');
    return `| ${name} | ${million.toFixed(2)} | ${month} |`;
  });
  const head = ['| | a million reports | 10,000 sensors, a month |', '| --- | ---: | ---: |'];
  await expect(withTable(text, [...head, ...lines])).toMatchFileSnapshot('./README.md');
});

test('the stack guide states the cost per device for each API', () => {
  const guide = readFileSync(new URL('../../lib/aws/README.md', import.meta.url), 'utf8');
  const [http = 0, balancer = 0] = (['HTTP', 'load balancer'] as const).map((transport) =>
    Math.round(10_000 * totalOf(sensorMonth(transport))),
  );
  const ofDevices = '| 10,000 sensors, [one report per request](../../test/bench/README.md#cost-of-reports-in-aws)';
  expect(guide).toContain(`${ofDevices} | USD ${http.toLocaleString('en')} | USD ${balancer}, and the 27 |`);
  const hours = (365.25 / 12) * 24;
  const atRest = hours * (prices.balancerHour + 2 * prices.publicAddressHour);
  expect(Math.round(atRest)).toBe(27);
  const perSensor = totalOf(sensorMonth('HTTP')) - totalOf(sensorMonth('load balancer'));
  expect(Math.ceil(atRest / perSensor / 100) * 100).toBe(600);
});

describe('documents state what the model computes', () => {
  const { stage, alarmEmail, publicUrl, certificateArn } = production;
  const templateOf = (more: object) => stackOf({ alarmEmail, publicUrl, certificateArn, ...more }).template.toJSON();
  const [prod, home] = [templateOf({ stage }), templateOf({ stage, preset: 'home' })];
  const restOf = (template: typeof prod, isUsed: boolean) =>
    costAtRest(template).reduce((sum, { usd, isInUse }) => sum + (isUsed || !isInUse ? usd : 0), 0);
  const { deviceUrl, deviceCertificateArn } = production;
  const balanced = restOf(templateOf({ stage, deviceApi: 'alb', deviceUrl, deviceCertificateArn }), true);
  const balancedMonth = (calls: ReportBatching) =>
    Math.round(balanced + 10_000 * totalOf(sensorMonth('load balancer', calls)));
  const monthOfProduction = (sensors: number) =>
    Math.round(monthOf(prod, { sensors, screens: 0 })).toLocaleString('en');

  test('the benchmark README.md states the computed costs', () => {
    const months = [30, 100, 1_000].map(monthOfProduction).join('; ');
    const unused = restOf(stackOf().template.toJSON(), false);
    const { screen, hiddenScreen } = unitCosts(prod);
    const free = unitCosts(home);
    const stated = [
      `| a million delivered falls | USD ${(1e6 * totalOf(costsOf(works.fall))).toFixed(1)} |`,
      `| a million unchanged reports | **USD ${(1e6 * totalOf(costsOf(works.report))).toFixed(2)}** `,
      `| the checks of one quiet sensor, per month | USD ${totalOf(monthlyCheckCosts()).toFixed(4)} |`,
      `everything counted | USD ${months}; **${monthOfProduction(10_000)}** |`,
      `as devices are asked to by default | USD **${balancedMonth('report')}**; ${balancedMonth('threeReports')} |`,
      `\`dev\`; \`prod\` | USD ${unused.toFixed(2)}; **${restOf(prod, false).toFixed(1)}** |`,
      `USD ${free.screen.toFixed(2)}; ${free.hiddenScreen.toFixed(2)} (**${screen.toFixed(2)}**; ${hiddenScreen.toFixed(2)} with a web ACL`,
    ];
    expect(stated.filter((words) => !text.includes(words))).toEqual([]);
  });

  test('DEPLOYING.md and the stage settings state the computed costs', () => {
    const guide = readFileSync(new URL('../../lib/aws/DEPLOYING.md', import.meta.url), 'utf8');
    expect(guide).toContain(`which saves USD ${Math.round(restOf(prod, true) - restOf(home, true))} a month`);
    const help = stackSettings.DASHBOARD.about?.help;
    expect(help).toContain(`for USD ${prices.dashboardMonth} a month`);
    expect(help).toContain(`for USD ${(onlyShown.size * prices.metricMonth).toFixed(2)} at most`);
  });
});
