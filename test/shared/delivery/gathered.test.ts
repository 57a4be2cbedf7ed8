import { expect, test } from 'vitest';
import { gatheredNotification, sensorsIn } from '#shared/delivery/gathered.ts';
import type { Delivery, Snapshot } from '#shared/domain/delivery/delivery.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import { ruleForPeople, snapshotForPeople } from '#test/fixtures/snapshot.ts';

type News = { name: string; isOnline?: boolean; at?: number; id?: string };
const deliveryOf = (
  { name, isOnline = false, at = 1_000, id = name }: News,
  more: Partial<Snapshot> = {},
): Delivery => ({
  id: `${name}${at}`,
  customerId: 3,
  webhookId: null,
  person: { userId: 5, by: 'email', name: 'Anna' },
  createDate: at,
  updateDate: at,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: 0,
  hit: null,
  sendTryTimes: [],
  snapshot: {
    ...snapshotForPeople,
    reader: { language: 'en', time: '' },
    event: { ...snapshotForPeople.event, createDate: at },
    sensor: { ...snapshotForPeople.sensor, id, name },
    rule: { ...ruleForPeople, situation: isOnline ? 'sensor_active' : 'sensor_inactive' },
    ...more,
  },
});
const gather = ([first, ...others]: readonly Delivery[]) => {
  if (!first) throw new Error('a message stands for at least one delivery');
  return gatheredNotification([first, ...others]);
};
const noticeOf = (...news: News[]) => gather(news.map((one) => deliveryOf(one)));
const numbered = (count: number, isOnline = false, prefix = 'Room'): News[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix} ${at + 1}`, isOnline }));
const linesOf = ({ text }: { text: string }) => text.split('\n\n')[0]?.split('\n');

test('a combined message lists offline and recovered sensors with locations and a link', () => {
  expect(noticeOf({ name: 'B' }, { name: 'A' }, { name: 'C', isOnline: true })).toEqual({
    title: '2 sensors offline, 1 sensor online again',
    text: 'Offline: A, B\nOnline again: C\n\nMaple, EG',
    url: null,
    listUrl: 'https://cloud.example/api/v1/console/sensors',
    language: 'en',
  });
});

test('a combined message uses the singular for one sensor and omits zero counts', () => {
  expect(noticeOf({ name: 'A' })).toMatchObject({ title: '1 sensor offline', text: 'Offline: A\n\nMaple, EG' });
  expect(noticeOf(...numbered(2, true))).toMatchObject({
    title: '2 sensors online again',
    text: 'Online again: Room 1, Room 2\n\nMaple, EG',
  });
});

test("a combined message is in the recipient's language", () => {
  const german = (...news: News[]) =>
    gather(news.map((one) => deliveryOf(one, { reader: { language: 'de', time: '' } })));
  expect(german({ name: 'A' }, { name: 'B', isOnline: true })).toMatchObject({
    title: '1 Sensor offline, 1 Sensor wieder online',
    text: 'Offline: A\nWieder online: B\n\nMaple, EG',
    language: 'de',
  });
  const { title, text } = german(...numbered(21), ...numbered(2, true, 'Hall'));
  expect(title).toBe('21 Sensoren offline, 2 Sensoren wieder online');
  expect(text).toMatch(/Room 20 und 1 weitere\nWieder online: 2\n\n/);
});

test("a combined message is in English if the recipient's language is unknown", () => {
  const { reader: _, ...snapshot } = deliveryOf({ name: 'A' }).snapshot;
  expect(gather([{ ...deliveryOf({ name: 'A' }), snapshot }])).toMatchObject({
    title: '1 sensor offline',
    language: 'en',
  });
});

test('a combined message uses only the latest report from each sensor, regardless of delivery order', () => {
  const news = [
    { name: 'A', at: 3_000, isOnline: true },
    { name: 'A', at: 1_000 },
    { name: 'B', at: 2_000 },
    { name: 'B', at: 1_000, isOnline: true },
  ];
  for (const order of [news, news.toReversed()])
    expect(linesOf(noticeOf(...order))).toEqual(['Offline: B', 'Online again: A']);
});

test('a combined message sorts names in natural order', () => {
  expect(linesOf(noticeOf({ name: 'Room 10' }, { name: 'Room 9' }, { name: 'Hall' }))).toEqual([
    'Offline: Hall, Room 9, Room 10',
  ]);
});

test('a combined message names at most 20 sensors, offline ones first', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `Room ${at + 1}`).join(', ');
  expect(linesOf(noticeOf(...numbered(20)))).toEqual([`Offline: ${names(20)}`]);
  expect(linesOf(noticeOf(...numbered(23)))).toEqual([`Offline: ${names(20)} and 3 more`]);
  expect(linesOf(noticeOf(...numbered(19), ...numbered(3, true, 'Hall')))).toEqual([
    `Offline: ${names(19)}`,
    'Online again: Hall 1 and 2 more',
  ]);
  expect(linesOf(noticeOf(...numbered(25), ...numbered(3, true, 'Hall')))).toEqual([
    `Offline: ${names(20)} and 5 more`,
    'Online again: 3',
  ]);
});

test('a combined message does not turn a name or location into a link', () => {
  const customer = { id: 3, name: 'evil.example', location: '' };
  const { text } = gather([deliveryOf({ name: 'www.example.org' }, { customer })]);
  expect(text).toBe('Offline: www.\u200bexample.\u200borg\n\nevil.\u200bexample');
});

test('an SMS or a combined message without a customer omits the location', () => {
  const by = (channel: Channel['by']) => ({
    ...deliveryOf({ name: 'A' }),
    person: { userId: 5, by: channel, name: 'Anna' },
  });
  expect(gather([by('sms')]).text).toBe('Offline: A');
  expect(gather([by('push')]).text).toBe('Offline: A\n\nMaple, EG');
  expect(gather([deliveryOf({ name: 'A' }, { customer: null })]).text).toBe('Offline: A');
  const { person: _, ...toNobody } = deliveryOf({ name: 'A' });
  expect(gather([toNobody]).text).toBe('Offline: A\n\nMaple, EG');
});

test('a combined message does not contain a link if the service has no URL', () => {
  const service = { ...snapshotForPeople.service, url: '' };
  expect(gather([deliveryOf({ name: 'A' }, { service })])).not.toHaveProperty('listUrl');
});

test('a combined message counts the sensor in a delivery without a rule as offline', () => {
  expect(gather([deliveryOf({ name: 'A' }, { rule: null })]).title).toBe('1 sensor offline');
});

test('several deliveries about one sensor count only once', () => {
  expect(sensorsIn([])).toBe(0);
  expect(sensorsIn([{ name: 'A' }, { name: 'A', at: 2 }, { name: 'A', id: 'B' }].map((one) => deliveryOf(one)))).toBe(
    2,
  );
});
