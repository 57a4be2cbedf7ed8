import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { processing } from '#functions/workers/process/contract.ts';
import { settings } from '#lib/aws/settings/settings.ts';
import { assumed } from '#lib/tools/aws/cost/assumptions.ts';
import { consumption } from '#lib/tools/aws/cost/consumption.ts';
import { withTable } from '#test/fixtures/document-table.ts';

const text = readFileSync(new URL('../../../../shared/GROWTH.md', import.meta.url), 'utf8');
const SIZES = [10_000, 100_000, 1_000_000] as const;
const { changedReport, followingReport, report, look, entry, wholeFall, check } = consumption;

/** The load per second from one sensor. */
const reports = 1 / assumed.reportSeconds;
const falls = 1 / (assumed.fallDays * 86_400);
const changes = reports * assumed.changedReports;
const queued = 2 * changes + wholeFall.fifo * falls;
const reads =
  (reports - 2 * changes) * report.read +
  changes * (changedReport.read + followingReport.read) +
  look.read / 300 +
  entry.read / 60 +
  falls * (wholeFall.read + assumed.checksPerFall * check.read);
const capacity = processing.concurrency * (processing.batchSize / (assumed.batchOfTenMilliseconds / 1_000));

/** A row: what is limited and how, the load from one sensor, and what to do at the limit. */
type Row = [name: string, max: number, unit: string, perSensor: number, remedy: string];
const rows: Row[] = [
  [
    'device API, default `deviceThrottle`',
    settings.deviceThrottle.default.rate,
    'requests/s',
    reports,
    '`-c deviceThrottle`, up to the account quota',
  ],
  ['API Gateway, the account', 10_000, 'requests/s', reports, 'request a quota increase, or `-c deviceApi=alb`'],
  ['Lambda, all functions in the account', 10_000, 'calls/s', reports + queued, 'request more concurrent executions'],
  ['`process` on `events`', capacity, 'messages/s', queued, 'raise `concurrency` in its contract'],
  ['the table, reads', 40_000, 'units/s', reads, 'request a quota increase'],
];

test('GROWTH.md states how much of each limit is used', async () => {
  const lines = rows.map(([name, max, unit, perSensor, remedy]) => {
    const shares = SIZES.map((sensors) => `${Math.round((100 * sensors * perSensor) / max)}%`);
    const limit = `${Math.round(max).toLocaleString('en')} ${unit}`;
    return `| ${[name, limit, ...shares, remedy].join(' | ')} |`;
  });
  const sizes = SIZES.map((sensors) => `${sensors.toLocaleString('en')} sensors`);
  const head = [
    `| ${['limit', 'maximum', ...sizes, 'what to do'].join(' | ')} |`,
    '| --- | ---: | ---: | ---: | ---: | --- |',
  ];
  await expect(withTable(text, [...head, ...lines])).toMatchFileSnapshot('../../../../shared/GROWTH.md');
});

test('GROWTH.md states the assumptions in the cost model', () => {
  const share = 100 * assumed.changedReports;
  expect(text).toContain(
    `Presence changes in ${share}% of the reports. Each change queues two reports, so ${2 * share}%`,
  );
  expect(text).toContain(`${assumed.batchOfTenMilliseconds} ms for a batch of ten \`process\` messages`);
  expect(text).toContain(`(${assumed.milliseconds.event} ms for one)`);
  expect(text).toContain(`1,000,000 sensors send ${Math.round(1e6 * queued).toLocaleString('en')}/s`);
});
