import { calledOnes, consumers, groups, schedules } from '../../functions/index.ts';
import { guardCallsOf } from '../../shared/api/guard-calls.ts';
import type { Group } from '../../shared/api/operation.ts';
import type { Use } from '../../shared/capabilities.ts';

/**
 * The timeout of functions behind the API. It is less than the 29 s that API Gateway waits, so that the function's
 * own answer comes first. https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const API_TIMEOUT_SECONDS = 15;

/** The rights of a group of operations, including those that `serve` needs for each operation. */
const usesOf = ({ operations }: Group): readonly Use[] => [
  'guard',
  ...Object.values(operations).flatMap((operation) => [...guardCallsOf(operation), ...operation.uses]),
];

const ofGroup = <const N extends string>(group: Group & { name: N }) => ({
  name: group.name,
  timeoutSeconds: API_TIMEOUT_SECONDS,
  uses: usesOf(group),
});

/** The contracts of all Lambdas of the system. The code of each is in the folder of its name. */
export const lambdas = [...groups.map(ofGroup), ...consumers, ...schedules, ...calledOnes];
export type LambdaName = (typeof lambdas)[number]['name'];
