import { assumed } from '#lib/tools/aws/cost/assumptions.ts';
import { monthOf } from '#lib/tools/aws/cost/at-rest.ts';
import {
  type Costs,
  coldStartsOf,
  costsOf,
  monthlyCheckCosts,
  sensorMonth,
  times,
  totalOf,
  works,
} from '#lib/tools/aws/cost/costs.ts';
import { prices } from '#lib/tools/aws/cost/prices.ts';
import { production, stackOf } from '../fixtures/stack.ts';
import type { Figure } from './figures.ts';

const SENSORS = [30, 100, 1_000, 10_000] as const;
const mqttTransports = ['MQTT', 'Basic Ingest'] as const;
const cheapTransports = ['HTTP', 'Basic Ingest'] as const;
const MILLION = 1_000_000;
const million = (usd: number): string => String(Number((usd * MILLION).toPrecision(4)));

/** The formula for the sums, shown in the note. */
const formula = [
  `calls x ${million(prices.httpRequest)}`,
  `invocations x ${million(prices.invocation)} + GB-s x ${million(prices.gigabyteSecond)}`,
  `R x ${million(prices.tableReadUnit)} + W x ${million(prices.tableWriteUnit)}`,
  `3 x (FIFO x ${million(prices.fifoRequest)} + standard x ${million(prices.queueRequest + prices.fairQueueSurcharge)}), all in USD per million`,
  `GB-months x (${prices.tableGigabyteMonth} + ${prices.backupGigabyteMonth}) + GB of logs x ${prices.logGigabyte} + GB out x ${prices.trafficGigabyte}`,
].join(' + ');

const { stage, alarmEmail, publicUrl, certificateArn } = production;
const template = stackOf({ stage, alarmEmail, publicUrl, certificateArn }).template.toJSON();
const monthOfProduction = (sensors: number): number => monthOf(template, { sensors, screens: 0 });

/** Formats the parts of a sum. */
const sumOf = (costs: Costs): string =>
  Object.entries(costs)
    .filter(([, usd]) => usd > 0)
    .map(([name, usd]) => `${name} ${usd < 10 ? usd.toFixed(2) : usd.toFixed(0)}`)
    .join(' + ');

const figureOf = (name: string, costs: Costs, max?: number): Figure => ({
  name,
  value: totalOf(costs),
  unit: 'USD',
  ...(max !== undefined && { max }),
  note: sumOf(costs),
});

/** Computes the AWS costs from the units, bytes and requests asserted by tests, and from assumed durations. */
export const measurePrice = async (): Promise<Figure[]> => {
  const { fall, report, threeReports } = works;
  return [
    { name: `prices of ${prices.date}, ${prices.region}`, value: assumed.batch, unit: 'per batch', note: formula },
    figureOf('a million delivered falls', times(MILLION, costsOf(fall))),
    { name: 'a million delivered falls: cold starts', value: MILLION * coldStartsOf(fall), unit: 'USD in addition' },
    figureOf('a million unchanged reports', times(MILLION, costsOf(report)), 2.4),
    {
      name: 'a million unchanged reports: cold starts',
      value: MILLION * coldStartsOf(report),
      unit: 'USD in addition',
    },
    {
      ...figureOf('checks of a quiet sensor per month', monthlyCheckCosts(), 0.002),
      note: 'a read every 5 minutes, its index entry every minute, and 5 checks per fall',
    },
    ...SENSORS.map((count) => ({ name: `a month of ${count} sensors`, value: monthOfProduction(count), unit: 'USD' })),
    ...cheapTransports.flatMap((transport) => [
      figureOf(
        `by ${transport}, three per call: a million unchanged reports`,
        times(MILLION / 3, costsOf(threeReports, transport)),
      ),
      figureOf(
        `by ${transport}, three per call: a month of 10000 sensors`,
        times(10_000, sensorMonth(transport, 'threeReports')),
      ),
    ]),
    ...mqttTransports.flatMap((transport) => [
      figureOf(`by ${transport}: a million unchanged reports`, times(MILLION, costsOf(report, transport))),
      figureOf(`by ${transport}: a month of 10000 connected sensors`, times(10_000, sensorMonth(transport))),
    ]),
  ];
};
