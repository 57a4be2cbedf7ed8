import type { WebhookRecord } from '../delivery/webhook.ts';
import { kinds } from '../kinds.ts';
import { sortedBy } from '../page.ts';
import { isAboutSensor } from '../rule/alarm.ts';
import { allRecipients } from '../rule/recipients.ts';
import type { Rule } from '../rule/rule.ts';
import { coverageGaps, coversAny, sourcesOf, withoutSource } from './coverage.ts';
import { type Gap, gapOfSensors, isAboutFalls, type UnnotifiedGap } from './gap.ts';
import { isDutyEmpty, type Reach, recipientGaps } from './reach.ts';
import { MAX_NAMED_SENSORS, unseenTroubles, type Watch } from './watch.ts';
import { comingWeek } from './week.ts';

/** The sensor fields needed by the watch. `groupId` is 0 if the sensor is in no group. */
export type WatchedSensor = {
  id: string;
  name: string;
  groupId: number;
  isActive: boolean;
  /** The configuration silences falls, or the device marks them as silent. */
  isSilent: boolean;
  /** The configuration lets the sensor detect and report falls. */
  detectsFalls: boolean;
  /** Most sensor messages in the last 24 hours, or most of those about falls, were not understood. */
  isMisunderstood: boolean;
};

/** Everything a customer's watch is computed from. */
export type WatchInput = {
  now: number;
  timeZone: string;
  sensors: readonly WatchedSensor[];
  rules: readonly Rule[];
  webhooks: readonly WebhookRecord[];
  reach: Reach;
  /** The names of the users in rules. */
  users: ReadonlyMap<number, string>;
  /** Alarms that reached no one. */
  unnotified: readonly UnnotifiedGap[];
  /** Webhooks that point to the service's own machine, although the service does not allow such addresses. */
  loopbackTargets: readonly string[];
};

/** Whether an enabled rule reports a fall or possible fall. */
export const isOfFalls = ({ situation, isEnabled }: Rule): boolean =>
  isEnabled && kinds[situation].type === 'fall' && /detected|suspected|confirmed/.test(kinds[situation].action);

/** Whether an enabled rule reports sensors going offline. */
export const isOfSilence = ({ situation, isEnabled }: Rule): boolean => isEnabled && situation === 'sensor_inactive';

/** Returns the gaps caused by the sensors themselves. */
const gapsOfSensors = (sensors: readonly WatchedSensor[]): Gap[] => {
  if (sensors.length === 0) return [{ kind: 'no_sensors' }];
  const where = (isAffected: (sensor: WatchedSensor) => boolean) => sensors.filter(isAffected).map(({ id }) => id);
  return [
    ...gapOfSensors(
      'sensor_offline',
      where(({ isActive }) => !isActive),
    ),
    ...gapOfSensors(
      'silent_mode',
      where(({ isSilent }) => isSilent),
    ),
    ...gapOfSensors(
      'fall_detection_off',
      where(({ detectsFalls }) => !detectsFalls),
    ),
    ...gapOfSensors(
      'unknown_messages',
      where(({ isMisunderstood }) => isMisunderstood),
    ),
  ];
};

/** Returns the fall rules that reach no one. Whether anyone is on duty is reported separately. */
const unheardRules = ({ rules, reach }: WatchInput): Rule[] =>
  rules.filter((rule) => {
    const gaps = isOfFalls(rule) ? recipientGaps(reach, rule) : [];
    return gaps.length > 0 && gaps.every(({ kind }) => kind !== 'nobody_on_duty' && kind !== 'raw_only');
  });

type Named = { id: string | number; name: string };
const namesOf = (items: readonly Named[], ids: readonly (string | number)[]): Record<string, string> => {
  const wanted = new Set(ids);
  return Object.fromEntries(items.flatMap(({ id, name }) => (wanted.has(id) ? [[id, name]] : [])));
};

/** Returns the names of everything that gaps refer to. */
const namesIn = (gaps: readonly Gap[], { sensors, rules, webhooks, users }: WatchInput): Watch['names'] => {
  const sensorIds = gaps.flatMap((gap) => {
    if ('sensorIds' in gap) return gap.sensorIds;
    return 'sensorId' in gap ? [gap.sensorId] : [];
  });
  const ofUsers = [...users].map(([id, name]) => ({ id, name }));
  return {
    sensors: namesOf(sensors, sensorIds),
    rules: namesOf(
      rules,
      gaps.flatMap((gap) => ('ruleIds' in gap ? gap.ruleIds : [])),
    ),
    webhooks: namesOf(
      webhooks,
      gaps.flatMap((gap) => ('webhookId' in gap ? (gap.webhookId ?? []) : [])),
    ),
    users: namesOf(
      ofUsers,
      gaps.flatMap((gap) => ('userId' in gap ? (gap.userId ?? []) : [])),
    ),
  };
};

/**
 * The maximum size (bytes) of a watch. An eventually consistent read then costs two and a half units. If a watch would
 * be larger, it names fewer sensors, rules and webhooks.
 */
const MAX_BYTES = 20_000;
/** The maximum number of entries in each watch list. It is reduced if the watch would be too large. */
const MAX_NAMED = 200;

/**
 * Returns the watch with at most `max` gaps per kind, so that no kind crowds out another, and with at most `max`
 * sensors and rules in each list.
 */
const shortened = (watch: Watch, input: WatchInput, max: number): Watch => {
  const byKind = Map.groupBy(watch.gaps, ({ kind }) => kind);
  const kept = new Set([...byKind.values()].flatMap((same) => same.slice(0, max)));
  const gaps = watch.gaps
    .filter((gap) => kept.has(gap))
    .map(
      (gap): Gap => ({
        ...gap,
        ...('sensorIds' in gap && { sensorIds: gap.sensorIds.slice(0, max) }),
        ...('ruleIds' in gap && { ruleIds: gap.ruleIds.slice(0, max) }),
      }),
    );
  const { unheardRules, troubles } = watch;
  return {
    ...watch,
    gaps,
    names: namesIn(gaps, input),
    unheardRules: unheardRules.slice(0, max),
    troubles: troubles.slice(0, max),
  };
};

/** Computes a customer's watch. */
export const computeWatch = (input: WatchInput): Watch => {
  const { now, timeZone, rules, webhooks, reach, loopbackTargets } = input;
  const sensors = sortedBy(input.sensors, 'asc(name)');
  const sources = sourcesOf('fall_detected', { rules, webhooks }, reach);
  const unnotified = input.unnotified.toSorted((a, b) => b.createDate - a.createDate);
  const gaps = [
    // Someone may be lying on the floor.
    ...unnotified.filter(({ situation }) => !isAboutSensor(situation)),
    ...gapsOfSensors(sensors),
    ...coverageGaps(comingWeek(now, timeZone), sensors, sources),
    ...gapOfSensors(
      'no_rule_for_silence',
      withoutSource(sensors, sourcesOf('sensor_inactive', { rules, webhooks }, reach)),
    ),
    ...unnotified.filter(({ situation }) => isAboutSensor(situation)),
    ...loopbackTargets.map((webhookId) => ({ kind: 'loopback_target' as const, webhookId })),
  ];
  const offline = sensors.filter(({ isActive }) => !isActive);
  const covered = gaps.some(isAboutFalls) ? 'some' : 'all';
  const watch: Watch = {
    date: now,
    sensors: sensors.length,
    silentSensors: {
      total: offline.length,
      first: offline.slice(0, MAX_NAMED_SENSORS).map(({ id, name }) => ({ id, name })),
    },
    rules: rules.length,
    fallsTold: coversAny(sensors, sources) ? covered : 'none',
    isSilenceTold: rules.some(isOfSilence),
    gaps,
    totalGaps: gaps.length,
    names: { sensors: {}, rules: {}, webhooks: {}, users: {} },
    unheardRules: unheardRules(input).map(({ id, name }) => ({ id, name })),
    isNobodyOnDuty: rules.some((rule) => isOfFalls(rule) && isDutyEmpty(reach, allRecipients(rule))),
    troubles: unseenTroubles(webhooks),
  };
  for (let max = MAX_NAMED; ; max = Math.floor(max / 2)) {
    const short = shortened(watch, input, max);
    if (max === 1 || Buffer.byteLength(JSON.stringify(short)) <= MAX_BYTES) return short;
  }
};
