import type { AuditEntry } from '../identity/audit.ts';
import { type Gap, type GapKind, isAboutFalls } from './gap.ts';
import { minutesOfWeek } from './week.ts';

type SensorGap = Extract<Gap, { sensorIds: string[] }>;

/** Returns the minutes of the week during which a sensor was previously not covered, for whatever reason. */
const uncoveredBefore = (before: readonly Gap[], sensorId: string): Uint8Array | 'always' => {
  const ofSensor = before.filter((gap) => 'sensorIds' in gap && gap.sensorIds.includes(sensorId));
  if (ofSensor.some(({ kind }) => kind === 'no_rule')) return 'always';
  const minutes = new Uint8Array(minutesOfWeek({ days: [1], from: '00:00', to: '00:00' }).length);
  for (const gap of ofSensor)
    if (gap.kind === 'hours_without_rule')
      for (const [at, isIncluded] of minutesOfWeek(gap).entries()) if (isIncluded) minutes[at] = 1;
  return minutes;
};

const isNewFor = (before: readonly Gap[], gap: SensorGap, sensorId: string): boolean => {
  if (gap.kind !== 'hours_without_rule')
    return !before.some(
      ({ kind, ...other }) => kind === gap.kind && 'sensorIds' in other && other.sensorIds.includes(sensorId),
    );
  const known = uncoveredBefore(before, sensorId);
  return known !== 'always' && minutesOfWeek(gap).some((isIncluded, at) => isIncluded === 1 && known[at] === 0);
};

/** Returns a key for the kind, webhook and user in a gap, which stays the same if only the rules change. */
const subjectOf = (gap: Gap): string => JSON.stringify({ ...gap, ruleIds: 0 });

/**
 * Returns the gaps that may include the same sensors: those of the same kind and, for hours without a rule, those
 * without any rule.
 */
const related = (gaps: readonly Gap[], { kind }: SensorGap): SensorGap[] =>
  gaps.filter(
    (other): other is SensorGap =>
      'sensorIds' in other && (other.kind === kind || (kind === 'hours_without_rule' && other.kind === 'no_rule')),
  );
const totalOf = (gaps: readonly SensorGap[]): number => gaps.reduce((sum, { total }) => sum + total, 0);

/** Returns the new part of a sensor gap; null if there is none. */
const newSensors = (before: readonly Gap[], after: readonly Gap[], gap: SensorGap): Gap | null => {
  const known = related(before, gap);
  const sensorIds = gap.sensorIds.filter((sensorId) => isNewFor(before, gap, sensorId));
  if (known.every((other) => other.total === other.sensorIds.length))
    return sensorIds.length > 0 ? { ...gap, sensorIds, total: sensorIds.length } : null;
  // A list too long to be stored in full may have contained any sensor, but no more sensors than `total`.
  const hoursOf = (other: SensorGap): string => JSON.stringify({ ...other, sensorIds: 0, total: 0 });
  const same = known.filter((other) => hoursOf(other) === hoursOf(gap));
  const total = Math.min(gap.total - totalOf(same), totalOf(related(after, gap)) - totalOf(known));
  return total > 0 ? { ...gap, sensorIds: sensorIds.slice(0, total), total } : null;
};

/** Returns the new part of a gap; null if there is none. */
const newPart = (before: readonly Gap[], after: readonly Gap[], gap: Gap): Gap | null => {
  if ('sensorIds' in gap) return newSensors(before, after, gap);
  const known = before.find((other) => subjectOf(other) === subjectOf(gap));
  if (!('ruleIds' in gap) || !known || !('ruleIds' in known)) return known ? null : gap;
  const ruleIds = gap.ruleIds.filter((ruleId) => !known.ruleIds.includes(ruleId));
  return ruleIds.length > 0 ? { ...gap, ruleIds } : null;
};

/** Returns the gaps in fall coverage, or the parts of them, that did not exist before. */
export const openedGaps = (before: readonly Gap[], after: readonly Gap[]): Gap[] =>
  after.filter(isAboutFalls).flatMap((gap) => newPart(before, after, gap) ?? []);

type Line = Pick<AuditEntry, 'operation' | 'object'>;

/** User operations that change how falls are reported, by the kind of object changed. */
const changesOf: Partial<Record<AuditEntry['object']['kind'], RegExp>> = {
  rule: /^(create|copy|update|delete)Rule$/,
  webhook: /^(create|update|delete)Webhook$/,
  bot: /^deleteBot$/,
  sensor: /^(linkSensor|setSensorCustomer|deleteSensor|putMaker[AB]\w+Config)$/,
  sensor_group: /^(create|update|delete)SensorGroup$/,
  user: /^(deleteUser|setUserAccess|setChannel|deleteChannel|beginDuty|endDuty)$/,
  customer: /^(updateCustomer|setRoster|createImport)$/,
};

/** The kinds of objects that can open a gap when changed, by gap kind. Other gaps open without any change by a user. */
const causes: Partial<Record<GapKind, readonly AuditEntry['object']['kind'][]>> = {
  no_sensors: ['sensor'],
  no_rule: ['rule', 'webhook', 'sensor', 'sensor_group'],
  hours_without_rule: ['rule', 'webhook', 'sensor', 'sensor_group', 'customer'],
  silent_mode: ['sensor'],
  fall_detection_off: ['sensor'],
  nobody_on_duty: ['rule', 'user', 'customer'],
  unreachable_recipient: ['rule', 'user', 'bot', 'webhook'],
  webhook_off: ['rule', 'webhook'],
  webhook_failing: ['rule', 'webhook'],
  raw_only: ['rule', 'webhook'],
};

/** Whether a change is an import, which can change rules, users and sensors. */
const isImport = ({ operation }: Line): boolean => operation === 'createImport';

/** Whether a change in the audit log may have opened a gap. */
export const mayOpen = ({ kind }: Gap, line: Line): boolean =>
  ((causes[kind]?.includes(line.object.kind) ?? false) || (kind in causes && isImport(line))) &&
  (changesOf[line.object.kind]?.test(line.operation) ?? false);

/** Whether a change in the audit log created or linked something. */
export const isCreation = ({ operation }: Line): boolean => /^(create|copy|link)/.test(operation);
