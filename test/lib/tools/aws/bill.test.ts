import { expect, test } from 'vitest';
import { assumed } from '#lib/tools/aws/cost/assumptions.ts';
import { costAtRest, monthOf, unitCosts } from '#lib/tools/aws/cost/at-rest.ts';
import { consumption } from '#lib/tools/aws/cost/consumption.ts';
import { type ReportBatching, screenMonth, sensorMonth, type Transport, totalOf } from '#lib/tools/aws/cost/costs.ts';
import { prices } from '#lib/tools/aws/cost/prices.ts';
import { onlyShown } from '#shared/observability/metrics.ts';
import { independent, rareMetricsUsd } from '#test/fixtures/independent-costs.ts';
import { production, stackOf } from '#test/fixtures/stack.ts';

const { stage, alarmEmail, publicUrl, certificateArn, deviceUrl, deviceCertificateArn } = production;
const templateOf = (more: Readonly<Record<string, unknown>> = {}) =>
  stackOf({ stage, alarmEmail, publicUrl, certificateArn, ...more }).template.toJSON();
const prod = templateOf();
const home = templateOf({ preset: 'home' });
const homeWithMail = templateOf({ preset: 'home', mailSender: 'cloud@example.org' });
const mailUsd = monthOf(homeWithMail, { sensors: 0, screens: 0 }) - monthOf(home, { sensors: 0, screens: 0 });
const balanced = templateOf({ deviceApi: 'alb', deviceUrl, deviceCertificateArn });
const presets = { prod, home };

const usd = (value: number): string =>
  value.toLocaleString('en', {
    maximumFractionDigits: value < 100 ? 2 : 0,
    minimumFractionDigits: value < 100 ? 2 : 0,
  });
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map(
    (row) => `| ${row.join(' | ')} |`,
  );
  return ['<!-- table: start -->', '', ...lines, '', '<!-- table: end -->'].join('\n');
};
const sum = (rows: readonly { usd: number }[]): number => rows.reduce((total, row) => total + row.usd, 0);
/** Returns a row's name without the count, which differs between presets. */
const nameOf = (what: string): string => what.replace(/^\d+ /, '');

const atRest = (): string => {
  const rows = costAtRest(prod).map(({ what, usd: inProd }) => {
    const inHome = costAtRest(home).find((row) => nameOf(row.what) === nameOf(what));
    return [nameOf(what), usd(inProd), inHome ? usd(inHome.usd) : 'none'];
  });
  return table(
    ['', '`prod`', '`home`'],
    [...rows, ['**at rest**', usd(sum(costAtRest(prod))), usd(sum(costAtRest(home)))]],
  );
};

const perSensor = (): string => {
  const lines = Object.entries(sensorMonth()).filter(([, value]) => value > 0);
  return table(
    ['', '10,000 sensors', 'one sensor'],
    [
      ...lines.map(([name, value]) => [name, usd(10_000 * value), value.toFixed(4)]),
      ['**sum**', usd(10_000 * totalOf(sensorMonth())), totalOf(sensorMonth()).toFixed(4)],
    ],
  );
};

const changes = totalOf(sensorMonth()) - totalOf(sensorMonth('HTTP', 'report', 0));
const months = (): string =>
  table(
    ['sensors', 'preset', 'a month', 'under its assumptions', 'independent', 'difference'],
    (['prod', 'home'] as const).flatMap((preset) =>
      Object.entries(independent[preset]).map(([sensors, other]) => {
        const own = monthOf(presets[preset], { sensors: Number(sensors), screens: 0 });
        const alike = own - Number(sensors) * changes + rareMetricsUsd(preset);
        const difference = `${(100 * (alike / other - 1)).toFixed(1)}%`;
        return [Number(sensors).toLocaleString('en'), `\`${preset}\``, usd(own), usd(alike), usd(other), difference];
      }),
    ),
  );

const [screen, screenBehindAcl] = [unitCosts(home).screen, unitCosts(prod).screen];
const callsPerMonth = screenMonth()['apps API'] / prices.restRequest;
const perScreen = (): string =>
  table(
    ['', '`prod`', '`home`'],
    [
      ...Object.entries(screenMonth())
        .filter(([, value]) => value > 0)
        .map(([name, value]) => [name, usd(value), usd(value)]),
      ['web ACL', usd(screenBehindAcl - screen), 'none'],
      ['**sum**', usd(screenBehindAcl), usd(screen)],
    ],
  );
/** What the requests would cost if their function did nothing. */
const emptyCalls = callsPerMonth * (prices.restRequest + prices.webRequest + prices.invocation);

const smallHome = (): string => {
  const { sensor } = unitCosts(home);
  const rows = [
    ...costAtRest(homeWithMail),
    { what: '30 sensors', usd: 30 * sensor },
    { what: '2 consoles that are always open', usd: 2 * screen },
  ].toSorted((a, b) => b.usd - a.usd);
  return table(['', 'USD'], [...rows.map(({ what, usd: value }) => [what, usd(value)]), ['**sum**', usd(sum(rows))]]);
};

const large = (): string => {
  const rows: [name: string, transport: Transport, batching: ReportBatching][] = [
    ['HTTP API, one report per request', 'HTTP', 'report'],
    ['load balancer, one report per request', 'load balancer', 'report'],
    ['HTTP API, three reports per request', 'HTTP', 'threeReports'],
    ['load balancer, three reports per request', 'load balancer', 'threeReports'],
  ];
  const restOf = (transport: Transport) => sum(costAtRest(transport === 'HTTP' ? prod : balanced));
  return table(
    ['devices call', 'USD'],
    rows.map(([name, transport, batching]) => [
      name,
      usd(restOf(transport) + 10_000 * totalOf(sensorMonth(transport, batching))),
    ]),
  );
};

const document = `# What a month costs

In USD a month in ${prices.region}, at the [prices](../tools/aws/cost/prices.ts) of ${prices.date}, excluding free tiers and tax. Costs at rest are counted from the stage's template, units and bytes are asserted by tests, and all other assumptions are in [assumptions.ts](../tools/aws/cost/assumptions.ts): a sensor reports once a minute and detects a fall a week, and ${100 * assumed.changedReports}% of its reports change presence. The stages here have \`publicUrl\`, \`certificateArn\` and \`alarmEmail\`, and where noted \`mailSender\`, which adds USD ${usd(mailUsd)}. \`npm run deploy\` prints these figures for your stage's settings. A test generates this page.

## At rest

${atRest()}

CloudWatch bills a metric only for the hours in which it is sent. This page counts those sent in an hour with reports, a fall and canary rounds; a test compares them with what is written. The others are sent when something fails, or once a day. A rotating KMS key costs USD 1 more after the first year, and USD 2 more after the second.

## For each sensor

${perSensor()}

## For each console that is always open

${perScreen()}

While alarms can be seen or heard, a console sends a request every ${assumed.screenSeconds.watching} s, so that new ones appear in time. Each request reads ${consumption.screenCall.read} units. Behind a web ACL, USD ${usd(emptyCalls)} of the sum would remain even if the requests read, computed and logged nothing. HTTP APIs cost a third as much, but they support neither a web ACL nor the TLS policy of the app API. In a background tab without sound, a console costs USD ${usd(unitCosts(prod).hiddenScreen)} (${usd(unitCosts(home).hiddenScreen)} without a web ACL).

## The whole month, next to an independent calculation

${months()}

The independent calculation was made from list prices and the same units, by someone who did not know this model. For \`home\`, the lines for the web ACL, the dashboard, one alarm and ${onlyShown.size} metrics are left out. That calculation assumes that presence never changes. Our model has ${100 * assumed.changedReports}% of the reports change it: someone comes or goes 43 times a day, and each change queues two reports, which adds ${Math.round((100 * changes) / (totalOf(sensorMonth()) - changes))}% per sensor. That calculation counts each of the 22 custom metrics as if sent every hour. The remainder is two more alarms, and 1% for functions and the table.

## 30 sensors and two consoles, preset \`home\`, with emails

${smallHome()}

All of this protects the home. An account that runs nothing else pays about USD 5 less, because the free tier covers 10 alarms, 10 metrics, a million SQS requests, and most of the functions.

## 10,000 sensors, preset \`prod\`

${large()}

[Which device API to choose](README.md#choose-a-device-api), and [how devices collect reports](../../shared/ingest/README.md#reduce-the-cost-of-reports).
`;

test('the cost page states what the model computes', async () => {
  await expect(document).toMatchFileSnapshot('../../../../lib/aws/COST.md');
});
