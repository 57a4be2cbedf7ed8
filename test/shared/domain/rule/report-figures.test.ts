import { describe, expect, test } from 'vitest';
import type { Situation } from '#shared/domain/event/event.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import { percentile, type ReportHit, reportMonths } from '#shared/domain/rule/report-figures.ts';

const HOUR = 3_600_000;
const [A, B] = ['sensor-a', 'sensor-b'] as const;
const sensors = [
  { id: A, name: 'Room 1', isActive: true },
  { id: B, name: 'Room 2', isActive: false },
];
const parts = [
  { month: '2026-10', from: 0, to: 100 * HOUR, isWhole: true },
  { month: '2026-11', from: 100 * HOUR, to: 200 * HOUR, isWhole: false },
];

let last = 0;
const hit = (hour: number, situation: Situation = 'fall_detected', more: Partial<ReportHit> = {}): ReportHit => ({
  createDate: hour * HOUR,
  sensorId: A,
  sensorEventId: `event ${++last}`,
  situation,
  acknowledged: null,
  feedback: null,
  ...more,
});
const feedbackOf = (classification: Feedback['classification'], more: Partial<Feedback> = {}): Feedback => ({
  id: ++last,
  createDate: 0,
  updateDate: 0,
  sensorId: A,
  accountId: 1,
  forwardToMakerA: false,
  referenceDate: HOUR,
  reason: 'dog',
  description: '',
  ruleHitId: null,
  eventId: null,
  classification,
  ...more,
});
const figures = (hits: readonly ReportHit[], loose: readonly Feedback[] = [], now: number | null = null) =>
  reportMonths({ parts, timeZone: 'UTC', hits, unlinkedFeedback: loose, sensors, now });
const none = {
  falls: 0,
  sensitiveFalls: 0,
  suspectedFalls: 0,
  falseAlarms: 0,
  confirmed: 0,
  missed: 0,
  acknowledged: 0,
  unanswered: 0,
  medianMs: null,
  p90Ms: null,
  silences: 0,
  silentMs: 0,
  silencesWithoutEnd: 0,
};

describe('falls', () => {
  test('falls are counted by kind, month and room, and every room is listed', () => {
    const [october, november] = figures([
      hit(1),
      hit(2, 'fall_suspected'),
      hit(3, 'bed_left'),
      hit(100, 'fall_detected_sensitive', { sensorId: B }),
      hit(101, 'fall_suspected_sensitive'),
    ]);
    expect(october?.total).toEqual({ ...none, falls: 1, suspectedFalls: 1, unanswered: 2 });
    expect(october?.rooms).toEqual([
      { sensorId: A, name: 'Room 1', ...none, falls: 1, suspectedFalls: 1, unanswered: 2 },
      { sensorId: B, name: 'Room 2', ...none },
    ]);
    expect(november?.rooms.map(({ sensitiveFalls, suspectedFalls }) => [sensitiveFalls, suspectedFalls])).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(november).toMatchObject({ month: '2026-11', isWhole: false, from: 100 * HOUR, to: 200 * HOUR });
  });

  test('a fall counts only once, even if several rules fired', () => {
    const same = { sensorEventId: 'one fall' };
    const [october] = figures([
      hit(1, 'fall_detected', same),
      hit(1, 'fall_detected', { ...same, acknowledged: HOUR + 90_000 }),
      hit(1, 'fall_detected', { ...same, acknowledged: HOUR + 30_000 }),
    ]);
    expect(october?.total).toMatchObject({ falls: 1, acknowledged: 1, unanswered: 0, medianMs: 30_000, p90Ms: 30_000 });
  });

  test('a sensor that no longer belongs to the customer is listed without a name', () => {
    const [october] = figures([hit(1, 'fall_detected', { sensorId: 'gone' })]);
    expect(october?.rooms.at(-1)).toMatchObject({ sensorId: 'gone', name: null, falls: 1 });
  });

  test('falls from different sensors count separately, even if their UUIDs are equal', () => {
    const same = { sensorEventId: 'one uuid' };
    const [october] = figures([hit(1, 'fall_detected', same), hit(1, 'fall_detected', { ...same, sensorId: B })]);
    expect(october?.total.falls).toBe(2);
  });
});

test('falls and false alarms are counted per day', () => {
  const feedback = feedbackOf('FALSE_POSITIVE', { ruleHitId: 1 });
  const [october, november] = figures([
    hit(1, 'fall_detected', { feedback }),
    hit(2, 'fall_detected_sensitive'),
    hit(3, 'fall_suspected'),
    hit(4, 'bed_left'),
    hit(99),
  ]);
  expect(october?.days.slice(0, 2)).toEqual([
    { date: '1970-01-01', falls: 2, falseAlarms: 1 },
    { date: '1970-01-02', falls: 0, falseAlarms: 0 },
  ]);
  // A day split between two parts appears in both.
  expect(october?.days.at(-1)).toEqual({ date: '1970-01-05', falls: 1, falseAlarms: 0 });
  expect(november?.days[0]).toEqual({ date: '1970-01-05', falls: 0, falseAlarms: 0 });
});

describe('feedback', () => {
  test('feedback counts toward the month of its hit', () => {
    const feedback = feedbackOf('FALSE_POSITIVE', { referenceDate: 150 * HOUR, ruleHitId: 1 });
    const [october, november] = figures([hit(1, 'fall_detected', { feedback })]);
    expect([october?.total.falseAlarms, november?.total.falseAlarms]).toEqual([1, 0]);
  });

  test('feedback without a hit counts toward the month of its reference date', () => {
    const [october, november] = figures(
      [],
      [
        feedbackOf('FALSE_NEGATIVE'),
        feedbackOf('FALSE_NEGATIVE', { referenceDate: 150 * HOUR }),
        feedbackOf('TRUE_NEGATIVE'),
      ],
    );
    expect([october?.total.missed, november?.total.missed]).toEqual([1, 1]);
  });

  test('only the newest feedback for an event counts', () => {
    const older = feedbackOf('TRUE_POSITIVE', { ruleHitId: 1 });
    const newer = feedbackOf('FALSE_POSITIVE', { eventId: 'one fall' });
    const hits = [hit(1, 'fall_detected', { sensorEventId: 'one fall', feedback: older })];
    expect(figures(hits, [newer])[0]?.total).toMatchObject({ confirmed: 0, falseAlarms: 1 });
  });

  test('feedback outside the report period does not count', () => {
    const [october, november] = figures([], [feedbackOf('FALSE_POSITIVE', { referenceDate: 300 * HOUR })]);
    expect([october?.total, november?.total]).toEqual([none, none]);
  });
});

describe('offline periods', () => {
  test('an offline period ends when the sensor is active again, and is split across months', () => {
    const [october, november] = figures([hit(98, 'sensor_inactive'), hit(103, 'sensor_active')]);
    expect(october?.total).toMatchObject({ silences: 1, silentMs: 2 * HOUR, silencesWithoutEnd: 0 });
    expect(november?.total).toMatchObject({ silences: 0, silentMs: 3 * HOUR, silencesWithoutEnd: 0 });
  });

  test('an offline period without a recorded end has no duration', () => {
    const [october] = figures([hit(1, 'sensor_inactive'), hit(5, 'sensor_inactive'), hit(6, 'sensor_active')]);
    expect(october?.total).toMatchObject({ silences: 2, silentMs: HOUR, silencesWithoutEnd: 1 });
  });

  test('an offline period lasts until now if the sensor is still offline', () => {
    const offline = hit(150, 'sensor_inactive', { sensorId: B });
    expect(figures([offline], [], 160 * HOUR)[1]?.total).toMatchObject({ silentMs: 10 * HOUR, silencesWithoutEnd: 0 });
    expect(figures([offline])[1]?.total).toMatchObject({ silentMs: 0, silencesWithoutEnd: 1 });
  });
});

test('percentile interpolates linearly, like PERCENTILE.INC', () => {
  expect(percentile([], 0.5)).toBe(null);
  expect(percentile([7], 0.9)).toBe(7);
  expect(percentile([10, 20], 0.5)).toBe(15);
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0.9)).toBe(10);
  expect(percentile([0, 100], 0.9)).toBe(90);
});

test('a report interpolates the median and 90th-percentile times to acknowledgement', () => {
  const answered = (hour: number, seconds: number) =>
    hit(hour, 'fall_detected', { acknowledged: hour * HOUR + seconds * 1_000 });
  const [october] = figures([answered(1, 100), answered(2, 10), answered(3, 30), answered(4, 20)]);
  expect(october?.total).toMatchObject({ acknowledged: 4, medianMs: 25_000, p90Ms: 79_000 });
  // An acknowledgement cannot precede the alarm, even if the clock was set back between the two.
  expect(figures([answered(1, -5)])[0]?.total).toMatchObject({ acknowledged: 1, medianMs: 0 });
});

test('a report counts only the newest feedback for an event', () => {
  const feedback = (classification: Feedback['classification'], id: number) =>
    feedbackOf(classification, { id, eventId: 'e' });
  const event = { sensorEventId: 'e' };
  const newest = (...all: Feedback[]) => figures([hit(1, 'fall_detected', event)], all)[0]?.total;
  expect(newest(feedback('FALSE_POSITIVE', 1), feedback('TRUE_POSITIVE', 2))).toMatchObject({
    falseAlarms: 0,
    confirmed: 1,
  });
  expect(newest(feedback('FALSE_POSITIVE', 2), feedback('TRUE_POSITIVE', 1))).toMatchObject({
    falseAlarms: 1,
    confirmed: 0,
  });
});

test('a report lists all days so far and counts a fall on the day it began', () => {
  const [october] = figures(
    [hit(24), hit(47)],
    [feedbackOf('TRUE_POSITIVE', { referenceDate: 30 * HOUR })],
    48 * HOUR - 1,
  );
  expect(october?.days).toEqual([
    { date: '1970-01-01', falls: 0, falseAlarms: 0 },
    { date: '1970-01-02', falls: 2, falseAlarms: 0 },
  ]);
  expect(figures([], [], 48 * HOUR)[0]?.days.at(-1)?.date).toBe('1970-01-03');
});

test('a report measures offline time between events from the same sensor', () => {
  const [october] = figures(
    [
      hit(1, 'sensor_inactive'),
      hit(2, 'fall_detected'),
      hit(3, 'sensor_active'),
      hit(90, 'sensor_inactive', { sensorId: B }),
    ],
    [],
    95 * HOUR,
  );
  expect(october?.rooms.map(({ silentMs }) => silentMs / HOUR)).toEqual([2, 5]);
  expect(figures([hit(1, 'sensor_inactive')], [], 5 * HOUR)[0]?.total).toMatchObject({
    silentMs: 0,
    silencesWithoutEnd: 1,
  });
});
