import { authorizers, consumers, groups, schedules, schedulesOfAws } from '#functions/index.ts';
import { guardCallsOf } from '#shared/api/guard-calls.ts';
import { type Group, timeoutOf } from '#shared/api/operation.ts';
import type { Use } from '#shared/runtime/capabilities.ts';

/** The rights of a group of operations, including those that `serve` needs for each operation. */
const usesOf = ({ operations }: Group): readonly Use[] => [
  'guard',
  ...Object.values(operations).flatMap((operation) => [...guardCallsOf(operation), ...operation.uses]),
];

const ofGroup = <const N extends string>(group: Group & { name: N }) => ({
  name: group.name,
  timeoutSeconds: timeoutOf(group),
  uses: usesOf(group),
});

/** The contracts of all Lambdas of the system. The code of each is in the folder of its name. */
export const lambdas = [...groups.map(ofGroup), ...consumers, ...schedules, ...schedulesOfAws, ...authorizers];
export type LambdaName = (typeof lambdas)[number]['name'];

type Needs = { mqtt: boolean; canary: boolean; alarmEmail: string };
/** The settings of a stage that functions are there for; all others are in every stage. */
const onlyWith = {
  authorizer: 'mqtt',
  ingest: 'mqtt',
  'canary-round': 'canary',
  'alarm-check': 'alarmEmail',
} as const satisfies Partial<Record<LambdaName, keyof Needs>>;
type Optional = keyof typeof onlyWith;
/** One of something for each function of a stage; those that it does not need are missing. */
export type ForFunctions<T> = Readonly<Record<Exclude<LambdaName, Optional>, T> & Partial<Record<Optional, T>>>;
/** Does a stage have a function? */
export const isIn = (stage: Needs, name: LambdaName): boolean => {
  const needs: Partial<Record<LambdaName, keyof Needs>> = onlyWith;
  const setting = needs[name];
  return setting === undefined || Boolean(stage[setting]);
};

/** What a stage has for a function. */
export const functionIn = <T>(all: ForFunctions<T>, name: LambdaName): T => {
  const found = all[name];
  if (found === undefined) throw new Error(`this stage has no function ${name}`);
  return found;
};
