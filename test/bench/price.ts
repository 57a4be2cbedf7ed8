import { type Costs, coldStartsOf, costsOf, lookingMonthOf, monthOf, times, totalOf, works } from './costs.ts';
import type { Figure } from './figures.ts';
import { assumed, prices } from './prices.ts';

const SENSORS = [100, 1_000, 10_000] as const;
const overMqtt = ['MQTT', 'Basic Ingest'] as const;
const ways = ['HTTP', 'Basic Ingest'] as const;
const MILLION = 1_000_000;
const million = (usd: number): string => String(Number((usd * MILLION).toPrecision(4)));

/** The formula of each sum, for the note. */
const formula = [
  `calls x ${million(prices.httpRequest)}`,
  `invocations x ${million(prices.invocation)} + GB-s x ${million(prices.gigabyteSecond)}`,
  `R x ${million(prices.tableReadUnit)} + W x ${million(prices.tableWriteUnit)}`,
  `3 x (FIFO x ${million(prices.fifoRequest)} + others x ${million(prices.queueRequest + prices.fairQueueSurcharge)}), each USD a million`,
  `GB-months x (${prices.tableGigabyteMonth} + ${prices.backupGigabyteMonth}) + GB of logs x ${prices.logGigabyte} + GB out x ${prices.trafficGigabyte}`,
].join(' + ');

/** Formats the parts of a sum. */
const sumOf = (costs: Costs): string =>
  Object.entries(costs)
    .filter(([, usd]) => usd > 0)
    .map(([name, usd]) => `${name} ${usd < 10 ? usd.toFixed(2) : usd.toFixed(0)}`)
    .join(' + ');

const figureOf = (name: string, costs: Costs, most?: number): Figure => ({
  name,
  value: totalOf(costs),
  unit: 'USD',
  ...(most !== undefined && { most }),
  note: sumOf(costs),
});

/** Computes the costs in AWS. Units, bytes and requests are those that tests assert, and times are assumed. */
export const measurePrice = async (): Promise<Figure[]> => {
  const { fall, report, fiveReports } = works;
  return [
    { name: `prices of ${prices.date}, ${prices.region}`, value: assumed.batch, unit: 'in a batch', note: formula },
    figureOf('a million delivered falls', times(MILLION, costsOf(fall))),
    { name: 'a million delivered falls: cold starts', value: MILLION * coldStartsOf(fall), unit: 'USD beside it' },
    figureOf('a million reports that change nothing', times(MILLION, costsOf(report)), 2.4),
    { name: 'a million such reports: cold starts', value: MILLION * coldStartsOf(report), unit: 'USD beside it' },
    {
      ...figureOf('the looks at a sensor, a month', lookingMonthOf(), 0.002),
      note: '1 in 5 minutes, its entry each minute, and 5 checks of each fall',
    },
    ...SENSORS.map((count) =>
      figureOf(`a month of ${count} sensors`, monthOf(count), count === 10_000 ? 1_050 : undefined),
    ),
    ...ways.flatMap((way) => [
      figureOf(
        `by ${way}, five in a call: a million reports that change nothing`,
        times(MILLION / 5, costsOf(fiveReports, way)),
      ),
      figureOf(`by ${way}, five in a call: a month of 10000 sensors`, monthOf(10_000, way, 'fiveReports')),
    ]),
    ...overMqtt.flatMap((way) => [
      figureOf(`by ${way}: a million reports that change nothing`, times(MILLION, costsOf(report, way))),
      figureOf(`by ${way}: a month of 10000 sensors that stay connected`, monthOf(10_000, way)),
    ]),
  ];
};
