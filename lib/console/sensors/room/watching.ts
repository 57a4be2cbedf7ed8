import type { WatchGap as Gap, Rule, Watch } from '#openapi';

/** The situations for which a room shows who is notified. */
export const watchedSituations = ['fall_detected', 'bed_left', 'sensor_inactive'] as const;
type WatchedSituation = (typeof watchedSituations)[number];

/** Returns the enabled rules that apply to a situation in a room, which may be in a group. */
export const rulesOf = (
  rules: readonly Rule[],
  situation: WatchedSituation,
  { sensorId, groupId }: { sensorId: string; groupId: number | null },
): Rule[] =>
  rules.filter(
    (rule) =>
      rule.isEnabled &&
      rule.situation === situation &&
      (rule.sensorId === null || rule.sensorId === sensorId) &&
      (rule.sensorGroupId === null || rule.sensorGroupId === groupId),
  );

/** Returns the kinds of gaps that affect a room. If there are many rooms, the watch names only the first rooms. */
export const gapsOf = ({ gaps }: Pick<Watch, 'gaps'>, sensorId: string): Gap['kind'][] => [
  ...new Set(gaps.filter((gap) => 'sensorIds' in gap && gap.sensorIds.includes(sensorId)).map(({ kind }) => kind)),
];
