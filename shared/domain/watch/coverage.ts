import { matchesFilters } from '../delivery/event-filters.ts';
import type { WebhookRecord } from '../delivery/webhook.ts';
import { eventOf, type Situation } from '../event/event.ts';
import type { Rule } from '../rule/rule.ts';
import type { Schedule } from '../rule/schedule.ts';
import { type Gap, gapOfSensors, type RecipientGap } from './gap.ts';
import { type Reach, recipientGaps, webhookGap } from './reach.ts';
import type { ComingWeek } from './week.ts';

/** The sensor fields that decide whether falls reach anyone. `groupId` is 0 if the sensor is in no group. */
type CoveredSensor = { id: string; groupId: number };

/** A rule or customer webhook that reports a situation for some sensors at some times. */
export type Source = {
  isRule: boolean;
  /** The only sensor or group the source is for; null for all. */
  sensorId: string | null;
  groupId: number | null;
  schedule: Schedule | null;
  /** Why the source reaches no one. Empty if it reaches someone. */
  gaps: readonly RecipientGap[];
};

/** Whether a rule reports a situation anywhere in a room. */
const isForRoom = ({ isEnabled, regionId, ...rule }: Rule, situation: Situation): boolean =>
  isEnabled && regionId === null && rule.situation === situation;

const sourceOfWebhook = (webhook: WebhookRecord, reach: Reach): Source => {
  const gap = webhookGap(webhook, [], reach);
  const { sensorGroupId: groupId = null } = webhook;
  return { isRule: false, sensorId: null, groupId, schedule: null, gaps: gap ? [gap] : [] };
};

/** Returns everything that reports a situation: rules and customer webhooks. */
export const sourcesOf = (
  situation: Situation,
  { rules, webhooks }: { rules: readonly Rule[]; webhooks: readonly WebhookRecord[] },
  reach: Reach,
): Source[] => {
  const ofRules = rules
    .filter((rule) => isForRoom(rule, situation))
    .map((rule): Source => {
      const { sensorId, sensorGroupId: groupId, schedule } = rule;
      return { isRule: true, sensorId, groupId, schedule, gaps: recipientGaps(reach, rule) };
    });
  const event = eventOf(situation);
  const ofCustomer = webhooks.filter(
    (webhook) => webhook.isCustomerHook && matchesFilters({ ...webhook, sensorGroupId: null }, event, { groupId: 0 }),
  );
  return [...ofRules, ...ofCustomer.map((webhook) => sourceOfWebhook(webhook, reach))];
};

const isFor = ({ sensorId, groupId }: Source, sensor: CoveredSensor): boolean =>
  sensorId === null ? groupId === null || groupId === sensor.groupId : sensorId === sensor.id;

/** Sensors whose sources report during the same minutes of the coming week. */
type Pattern = {
  sensorIds: string[];
  sources: Source[];
  /** The minutes in which someone is reached, and the minutes with a rule, even if it reaches no one. */
  reached: Uint8Array;
  ruled: Uint8Array;
};

const add = (minutes: Uint8Array, others: Uint8Array): void => {
  for (let at = 0; at < others.length; at++) if (others[at]) minutes[at] = 1;
};

const extended = (week: ComingWeek, { sources, reached, ruled }: Pattern, more: readonly Source[]): Pattern => {
  const pattern = { sensorIds: [], sources: [...sources, ...more], reached: reached.slice(), ruled: ruled.slice() };
  for (const source of more) {
    const minutes = week.scheduled(source.schedule);
    if (source.gaps.length === 0) add(pattern.reached, minutes);
    if (source.isRule) add(pattern.ruled, minutes);
  }
  return pattern;
};

/** Returns a key for everything that decides when sources reach someone. */
const timesOf = (sources: readonly Source[]): string =>
  JSON.stringify(sources.map(({ schedule, isRule, gaps }) => [schedule, isRule, gaps.length === 0]));

/**
 * Groups sensors whose sources report at the same times. A home may have rules for a thousand sensors, but few
 * schedules.
 */
const patternsOf = (week: ComingWeek, sensors: readonly CoveredSensor[], sources: readonly Source[]): Pattern[] => {
  const nothing = { sensorIds: [], sources: [], reached: week.none(), ruled: week.none() };
  const ofSensor = Map.groupBy(sources, ({ sensorId }) => sensorId);
  const ofGroup = Map.groupBy(ofSensor.get(null) ?? [], ({ groupId }) => groupId);
  const ofAll = extended(week, nothing, ofGroup.get(null) ?? []);
  const byGroup = new Map<number, Pattern>();
  const byOwn = new Map<string, Pattern>();
  for (const { id, groupId } of sensors) {
    const grouped = byGroup.get(groupId) ?? extended(week, ofAll, ofGroup.get(groupId) ?? []);
    byGroup.set(groupId, grouped);
    const own = ofSensor.get(id) ?? [];
    const key = `${groupId} ${timesOf(own)}`;
    const known = byOwn.get(key);
    const pattern = known ?? extended(week, grouped, own);
    if (known) known.sources.push(...own);
    byOwn.set(key, pattern);
    pattern.sensorIds.push(id);
  }
  return [...byOwn.values()];
};

/** Returns the minutes missing from both sets. */
const neither = (minutes: Uint8Array, others: Uint8Array): Uint8Array =>
  minutes.map((isIncluded, at) => (isIncluded || others[at] ? 0 : 1));
const overlap = (minutes: Uint8Array, others: Uint8Array): boolean =>
  minutes.some((isIncluded, at) => isIncluded === 1 && others[at] === 1);

/** Returns the gaps for sensors that no rule covers in some minutes. */
const gapsWithoutRule = (week: ComingWeek, { sensorIds, sources, reached, ruled }: Pattern): Gap[] => {
  if (!sources.some(({ isRule }) => isRule)) return gapOfSensors('no_rule', sensorIds);
  const minutes = neither(reached, ruled);
  const total = sensorIds.length;
  if (!minutes.includes(1)) return [];
  return week.hoursOf(minutes).map((hours) => ({ kind: 'hours_without_rule', sensorIds, total, ...hours }));
};

/**
 * Returns the gaps for sensors with the same sources: missing rules, and sources that would cover them but reach no
 * one.
 */
const gapsOfPattern = (week: ComingWeek, pattern: Pattern): Gap[] => {
  const { sources, reached } = pattern;
  const uncovered = neither(reached, reached);
  if (!uncovered.includes(1)) return [];
  const broken = sources.filter(
    ({ gaps, schedule }) => gaps.length > 0 && overlap(week.scheduled(schedule), uncovered),
  );
  return [...gapsWithoutRule(week, pattern), ...broken.flatMap(({ gaps }) => gaps)];
};

/** Merges gaps that differ only in their sensors or rules. */
const merged = (gaps: readonly Gap[]): Gap[] => {
  const subjectOf = (gap: Gap): string => JSON.stringify({ ...gap, sensorIds: 0, total: 0, ruleIds: 0 });
  return [...Map.groupBy(gaps, subjectOf).values()].flatMap((same): Gap[] => {
    const [first] = same;
    if (!first) return [];
    const sensorIds = same.flatMap((gap) => ('sensorIds' in gap ? gap.sensorIds : []));
    const ruleIds = new Set(same.flatMap((gap) => ('ruleIds' in gap ? gap.ruleIds : [])));
    if ('sensorIds' in first) return [{ ...first, sensorIds, total: sensorIds.length }];
    return ['ruleIds' in first ? { ...first, ruleIds: [...ruleIds] } : first];
  });
};

/** Returns the gaps that keep falls from reaching anyone during some minutes of the coming week. */
export const coverageGaps = (week: ComingWeek, sensors: readonly CoveredSensor[], sources: readonly Source[]): Gap[] =>
  merged(patternsOf(week, sensors, sources).flatMap((pattern) => gapsOfPattern(week, pattern)));

/** Whether falls at any sensor ever reach someone. */
export const coversAny = (sensors: readonly CoveredSensor[], sources: readonly Source[]): boolean =>
  sources.some(
    (source) => source.gaps.length === 0 && (sensors.length === 0 || sensors.some((sensor) => isFor(source, sensor))),
  );

/** Returns the sensors without a source that reaches someone. */
export const withoutSource = (sensors: readonly CoveredSensor[], sources: readonly Source[]): string[] =>
  sensors.filter((sensor) => !coversAny([sensor], sources)).map(({ id }) => id);
