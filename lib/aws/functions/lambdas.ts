import { authorizers, awsSchedules, consumers, groups, schedules } from '#functions/index.ts';
import { guardCallsOf } from '#shared/api/guard-calls.ts';
import { type Group, timeoutOf } from '#shared/api/operation.ts';
import type { Use } from '#shared/runtime/capabilities.ts';

/** Returns what a group of operations uses, including what `serve` needs for each operation. */
const usesOf = ({ operations }: Group): readonly Use[] => [
  'guard',
  ...Object.values(operations).flatMap((operation) => [...guardCallsOf(operation), ...operation.uses]),
];

const ofGroup = <const N extends string>(group: Group & { name: N }) => ({
  name: group.name,
  timeoutSeconds: timeoutOf(group),
  uses: usesOf(group),
});

/** The contracts for all functions. The code for each function is in the folder of the same name. */
export const lambdas = [...groups.map(ofGroup), ...consumers, ...schedules, ...awsSchedules, ...authorizers];
export type LambdaName = (typeof lambdas)[number]['name'];

type OptionalFeatures = { mqtt: boolean; canary: boolean; alarmEmail: string; mailSender: string; smsOrigin: string };
type Feature = keyof OptionalFeatures;

/** The functions that exist only in stages with at least one of these settings. All others exist in every stage. */
const onlyWith = {
  authorizer: ['mqtt'],
  ingest: ['mqtt'],
  'canary-round': ['canary'],
  'alarm-check': ['alarmEmail'],
  'watch-changes': ['mailSender'],
  undeliverable: ['mailSender', 'smsOrigin'],
} as const satisfies Partial<Record<LambdaName, readonly Feature[]>>;
type Optional = keyof typeof onlyWith;

/** A value for each function in a stage. Functions the stage does not need have none. */
export type PerFunction<T> = Readonly<Record<Exclude<LambdaName, Optional>, T> & Partial<Record<Optional, T>>>;

export const hasFunction = (stage: OptionalFeatures, name: LambdaName): boolean => {
  const settings: Partial<Record<LambdaName, readonly Feature[]>> = onlyWith;
  const needed = settings[name];
  return needed === undefined || needed.some((setting) => Boolean(stage[setting]));
};

/** Returns the value for a function. Throws if the stage does not have the function. */
export const valueForFunction = <T>(values: PerFunction<T>, name: LambdaName): T => {
  const value = values[name];
  if (value === undefined) throw new Error(`this stage has no function ${name}`);
  return value;
};
