import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_HITS } from '#functions/api/reports/contract.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Report } from '#shared/domain/rule/report.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { items } from '#shared/store/table.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { seedHits } from '#test/fixtures/hits.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2027-03-31T12:00:00Z');
const clock = skippingClock(NOON);
const { now } = clock;
let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud({ clock });
  admin = await adminOf(cloud.url);
});
afterAll(() => cloud.stop());

/** Creates a separate customer in Berlin, with a sensor and a fall rule. */
const homeOf = async (name: string, more: object = {}) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { customerId, client } = home;
  const customer = { name, location: '', email: '', timeZone: 'Europe/Berlin' };
  await admin.ok('PUT', `/customers/${customerId}`, customer);
  const sensor = await linkSensor(client);
  const { rule, bot, webhook } = await createAlarm(client, 'http://127.0.0.1:9');
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const texts = { name: 'r', title: 't', message: 'm', recipients };
  if (Object.keys(more).length > 0)
    await client.ok('PUT', `/rules/${rule.id}`, { ...texts, situation: 'fall_detected', ...more });
  const fall = async (facts: object = {}): Promise<void> => {
    await cloud.idle();
    clock.skipTo(now() + 600_000);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', now(), facts));
    await cloud.idle();
  };
  const hits = async () => {
    const [page] = await client.ok<{ data: RuleHit[] }[]>('GET', `/customers/${customerId}/rule-hits`);
    return page?.data ?? [];
  };
  const at = `/customers/${customerId}/report`;
  const report = (query = '') => client.ok<Report>('GET', `${at}${query}`);
  const csv = (query = '') => client.call('GET', `${at}.csv${query}`);
  return { ...home, sensor, texts, at, fall, hits, report, csv };
};
type Home = Awaited<ReturnType<typeof homeOf>>;

const thisMonth = () => new Date(now() + 2 * 3_600_000).toISOString().slice(0, 7);

describe('getReport', () => {
  let home: Home;
  beforeAll(async () => {
    home = await homeOf('ash');
  });

  test("getReport returns the current month in the customer's time zone", async () => {
    const { timeZone, from, to, months } = await home.report();
    expect({ timeZone, from, to }).toEqual({ timeZone: 'Europe/Berlin', from: '2027-03-01', to: '2027-03-31' });
    expect(months).toHaveLength(1);
    expect(months[0]).toMatchObject({ month: '2027-03', from: Date.parse('2027-02-28T23:00:00Z'), isWhole: false });
    // The end of the month rather than the request time, so the response stays the same until the content changes.
    expect(months[0]?.to).toBe(Date.parse('2027-03-31T22:00:00Z'));
    expect(months[0]?.days.at(-1)).toEqual({ date: '2027-03-31', falls: 0, falseAlarms: 0 });
    expect(months[0]?.rooms).toMatchObject([{ sensorId: home.sensor.sensorId, falls: 0, medianMs: null }]);
  });

  test('getReport counts falls, acknowledgements with response times, and feedback', async () => {
    await home.fall();
    const [hit] = await home.hits();
    const { id } = hit ?? expect.unreachable();
    clock.skipTo(now() + 90_000);
    await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${id}/acknowledgement`, {});
    const judged = { referenceDate: now(), reason: 'dog', classification: 'FALSE_POSITIVE', ruleHitId: id };
    await home.client.ok('POST', `/sensors/${home.sensor.sensorId}/feedback`, judged);
    const missed = { referenceDate: now(), reason: 'unseen', classification: 'FALSE_NEGATIVE' };
    await home.client.ok('POST', `/sensors/${home.sensor.sensorId}/feedback`, missed);
    await home.fall();
    const { months } = await home.report();
    expect(months.at(-1)?.total).toMatchObject({ falls: 2, falseAlarms: 1, missed: 1, acknowledged: 1, unanswered: 1 });
    expect(months.at(-1)?.total.medianMs).toBeGreaterThanOrEqual(90_000);
    expect(months.at(-1)?.total.medianMs).toBeLessThan(100_000);
    expect(months.at(-1)?.rooms[0]).toMatchObject({ falls: 2, falseAlarms: 1 });
  });

  test('getReport counts falls that no rule covers', async () => {
    const other = await homeOf('privet', { isEnabled: false });
    await other.fall();
    await other.fall({ isSimulated: true });
    await other.fall();
    const { sensorId } = other.sensor;
    const [page] = await other.client.ok<{ data: { uuid: string; action: string }[] }[]>(
      'GET',
      `/sensors/${sensorId}/events`,
    );
    const uuid = page?.data.find(({ action }) => action === 'fall_detected')?.uuid;
    clock.skipTo(now() + 30_000);
    await other.client.ok('PUT', `/sensors/${sensorId}/falls/${uuid}/acknowledgement`, {});
    const judged = { referenceDate: now(), reason: 'dog', classification: 'FALSE_POSITIVE', eventId: uuid };
    await other.client.ok('POST', `/sensors/${sensorId}/feedback`, judged);
    const [month] = (await other.report()).months;
    const figures = { falls: 2, acknowledged: 1, unanswered: 1, falseAlarms: 1, suspectedFalls: 0 };
    expect(month?.total).toMatchObject(figures);
    expect(month?.total.medianMs).toBeGreaterThanOrEqual(30_000);
    expect(month?.rooms).toMatchObject([{ sensorId, ...figures }]);
  });

  test('getReport accepts days as bounds and includes the last day', async () => {
    const today = new Date(now() + 2 * 3_600_000).toISOString().slice(0, 10);
    expect((await home.report(`?from=${today}`)).months[0]?.total.falls).toBe(2);
    const yesterday = new Date(now() - DAY).toISOString().slice(0, 10);
    expect((await home.report(`?from=${yesterday}&to=${yesterday}`)).months[0]?.total.falls).toBe(0);
  });

  test('getReport omits expired and future months', async () => {
    const { months } = await home.report('?from=2026-08&to=2027-07');
    expect(months.map(({ month }) => month)).toEqual(['2026-12', '2027-01', '2027-02', '2027-03']);
    expect(months.map(({ isWhole }) => isWhole)).toEqual([false, true, true, false]);
    expect((await home.report('?from=2025-01')).months).toEqual([]);
    expect((await home.report('?from=2031-01')).months).toEqual([]);
  });

  test('getReport does not count simulated falls', async () => {
    const other = await homeOf('oak', { includeSimulated: true });
    await other.fall({ isSimulated: true });
    await other.fall();
    expect(await other.hits()).toHaveLength(2);
    expect((await other.report(`?from=${thisMonth()}`)).months[0]?.total.falls).toBe(1);
  });

  test('getReport derives offline times from sensor_inactive and sensor_active rules', async () => {
    const other = await homeOf('elm');
    const { client, sensor, texts } = other;
    for (const situation of ['sensor_inactive', 'sensor_active'])
      await client.ok('POST', '/rules', { ...texts, situation });
    const say = async () => {
      await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('finished', now()));
      await cloud.idle();
    };
    const pass = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        clock.skipTo(now() + 60_000);
        await cloud.sweep();
        await cloud.idle();
      }
    };
    await say();
    await pass(20);
    const open = (await other.report(`?from=${thisMonth()}`)).months[0]?.total;
    expect(open).toMatchObject({ silences: 1, silencesWithoutEnd: 0 });
    expect(open?.silentMs).toBeGreaterThan(600_000);
    await say();
    await pass(1);
    const { silences, silentMs } = (await other.report(`?from=${thisMonth()}`)).months[0]?.total ?? {};
    expect(silences).toBe(1);
    expect(silentMs).toBeGreaterThan(600_000);
    expect(silentMs).toBeLessThan(1_500_000);
  });

  test('getReport returns 400 for invalid, inverted or overlong periods', async () => {
    const refused = async (query: string) => {
      const { status, body } = await home.client.call('GET', `${home.at}?${query}`);
      return [status, (body as { errors: { path: string }[] }).errors.map(({ path }) => path)];
    };
    expect(await refused('from=2027-13')).toEqual([400, ['from']]);
    expect(await refused('from=2027-02-30')).toEqual([400, ['from']]);
    expect(await refused('from=2027-03&to=2027-02')).toEqual([400, ['to']]);
    expect(await refused('from=2027-03-02&to=2027-03-01')).toEqual([400, ['to']]);
    expect(await refused('from=2026-03&to=2027-03')).toEqual([400, ['to']]);
    expect((await home.client.call('GET', `${home.at}?from=2026-04&to=2027-03`)).status).toBe(200);
  });

  test('getReport returns 404 to a system admin if the customer does not exist', async () => {
    expect((await admin.call('GET', '/customers/987654321/report')).status).toBe(404);
  });

  test('getReport returns 409 for a period with too many rule hits', async () => {
    const { customerId, client, at, sensor } = await homeOf('fir');
    const { table } = cloud.runtime;
    const stepMs = 1_000;
    const from = now() - 2 * DAY;
    await seedHits(table, { customerId, sensors: [sensor.sensorId], count: 50, from, stepMs });
    // Positions are derived from ids, so one hit with a high id stands in for all the hits before it.
    const hitId = idBeforeFirst(customerId) + MAX_HITS + 1;
    const createDate = now();
    const key = items.ruleHit({ customerId, hitId });
    await table.write({ put: { id: hitId, createDate, updateDate: createDate, messages: [], sensorId: 'x', ...key } });
    const long = await client.call('GET', `${at}?from=2027-03&to=2027-04`);
    expect(long.status).toBe(409);
    expect(long.text).toContain('Choose a shorter period');
    const yesterday = new Date(now() - DAY).toISOString().slice(0, 10);
    expect((await client.call('GET', `${at}?from=2027-03-01&to=${yesterday}`)).status).toBe(200);
  });
});

describe('downloadReport', () => {
  test('downloadReport returns the report as a CSV file', async () => {
    const home = await homeOf('yew');
    await home.fall();
    const { status, text, headers } = await home.csv(`?from=${thisMonth()}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="report-\d+-[\d-]+\.csv"$/);
    const [head, line, ...rest] = text.split('\r\n');
    expect(head).toBe(
      '\ufeffmonth,isWhole,room,sensorId,falls,sensitiveFalls,suspectedFalls,falseAlarms,confirmed,missed,' +
        'acknowledged,unanswered,medianSeconds,p90Seconds,silences,silentSeconds,silencesWithoutEnd',
    );
    const { sensorId } = home.sensor;
    expect(line).toMatch(new RegExp(`^${thisMonth()},false,Sensor \\w{4},${sensorId},1,0,0,0,0,0,0,1,,,0,0,0$`));
    expect(rest).toEqual(['']);
  });

  test('downloadReport fails in the same cases as getReport', async () => {
    const home = await homeOf('ivy');
    expect((await home.csv('?from=2027-13')).status).toBe(400);
    expect((await admin.call('GET', '/customers/987654321/report.csv')).status).toBe(404);
  });
});
