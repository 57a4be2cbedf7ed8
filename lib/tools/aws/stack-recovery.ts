import { UserError } from '../user-error.ts';
import type { AccountClient } from './account.ts';
import type { Cdk } from './cdk.ts';
import { type Situation, situationOf } from './stack-states.ts';
import type { StackFailure, StackResource, StackState } from './stacks.ts';
import { deletedBucketsIn, type Template } from './template.ts';
import { type Timing, waitUntil } from './wait-until.ts';

/** What a command needs to change a stack. */
export type Tools = { account: AccountClient; cdk: Cdk; say: (line: string) => void } & Timing;

/** A stack, and the arguments with which the CDK finds it. */
type Target = { stack: string; app: readonly string[] };

/** A stack's state (null if the stack does not exist) and situation. */
export type StackNow = { state: StackState | null; situation: Situation };

export const readStack = async (stack: string, { account }: Pick<Tools, 'account'>): Promise<StackNow> => {
  const state = await account.state(stack);
  return { state, situation: situationOf(state) };
};

/** Waits until CloudFormation has finished changing a stack, for example after an earlier run was killed. */
export const waitUntilStable = async (stack: string, tools: Omit<Tools, 'cdk'>): Promise<StackNow> => {
  const first = await readStack(stack, tools);
  if (first.situation !== 'changing') return first;
  tools.say(`The stack ${stack} is in ${first.state?.status}: waiting until CloudFormation has finished.`);
  const isStable = async () => (await readStack(stack, tools)).situation !== 'changing';
  await waitUntil(isStable, { what: `CloudFormation has finished changing ${stack}`, minutes: 120 }, tools);
  return readStack(stack, tools);
};

const nameOf = ({ id, type, name }: StackResource): string => `${type} ${name || id}`;
const lineOf = (resource: StackResource): string => `  ${nameOf(resource)}: ${resource.reason || resource.status}`;

/** Prints what failed in the latest operation on a stack. */
export const sayFailures = (failures: readonly StackFailure[], { say }: Pick<Tools, 'say'>): void => {
  for (const { id, type, reason } of failures) say(`  ${type} ${id}: ${reason}`);
};

/** Empties the buckets deleted with a stack, because CloudFormation deletes only empty ones. */
const emptyBuckets = async (stack: string, { account, say }: Tools): Promise<void> => {
  const deleted = deletedBucketsIn(JSON.parse((await account.template(stack)) ?? '{}') as Template);
  for (const { id, name, status } of await account.resources(stack)) {
    if (!deleted.includes(id) || name === '' || /^DELETE_(COMPLETE|SKIPPED)$/.test(status)) continue;
    const count = await account.emptyBucket(name);
    if (count > 0) say(`Deleted ${count} objects of the bucket ${name}.`);
  }
};

/** Prints what is left of a deleted stack. */
const sayRetained = async (arn: string, situation: Situation, { account, say }: Tools): Promise<void> => {
  const retained = (await account.resources(arn)).filter(({ status }) => status === 'DELETE_SKIPPED');
  if (retained.length === 0) return;
  say('Retained, and no longer part of a stack:');
  for (const resource of retained) say(`  ${nameOf(resource)}`);
  const table = retained.find(({ type }) => type === 'AWS::DynamoDB::Table')?.name;
  if (table === undefined || situation !== 'never ran') return;
  say('The table is empty, because the stage never ran. To delete it, run');
  say(`  aws dynamodb update-table --table-name ${table} --no-deletion-protection-enabled`);
  say(`  aws dynamodb delete-table --table-name ${table}`);
};

/** Prints what prevents a stack's deletion, and what to do about it. */
const sayStuckDeletion = async (stack: string, { account, say }: Tools): Promise<void> => {
  const left = (await account.resources(stack)).filter(({ status }) => status === 'DELETE_FAILED');
  if (left.length === 0) return;
  say('CloudFormation could not delete:');
  for (const resource of left) say(lineOf(resource));
  say('Remove the cause and run the same command again. To delete the stack without these resources, run');
  say(
    `  aws cloudformation delete-stack --stack-name ${stack} --retain-resources ${left.map(({ id }) => id).join(' ')}`,
  );
};

/**
 * Deletes a stack with the CDK: empties the buckets, and disables the termination protection for a stack that never
 * ran. Returns false after printing why the deletion failed.
 */
export const deleteStack = async (
  { stack, app }: Target,
  { state, situation }: StackNow,
  tools: Tools,
): Promise<boolean> => {
  const { account, cdk, say } = tools;
  // The CDK protects a stack before it creates the resources, so a stack is protected even if its first deployment
  // failed.
  if (state?.isProtected && (situation === 'never ran' || situation === 'missing')) {
    await account.unprotect(stack);
    say(`Disabled the termination protection of ${stack}, because it never ran.`);
  }
  await emptyBuckets(stack, tools);
  if ((await cdk(['destroy', stack, ...app, '--force'])) !== 0) {
    await sayStuckDeletion(stack, tools);
    return false;
  }
  if (state) await sayRetained(state.arn, situation, tools);
  return true;
};

const rollBack = async ({ stack, app }: Target, { status }: StackState, tools: Tools): Promise<boolean> => {
  const { account, cdk, say } = tools;
  say(`The stack ${stack} is in ${status}: rolling back the update that failed, then deploying.`);
  await cdk(['rollback', stack, ...app]);
  // The CDK can succeed even if the rollback failed again, so only the stack's state counts.
  if ((await waitUntilStable(stack, tools)).situation !== 'half updated') return true;
  say('The rollback failed:');
  sayFailures(await account.failures(stack), { say });
  say('Remove the cause and run the same command again. To leave resources as they are, run');
  say(`  aws cloudformation continue-update-rollback --stack-name ${stack} --resources-to-skip ID ...`);
  return false;
};

/** The error for a stack state that no command in this project can resolve. */
export const stuck = (stack: string, state: StackState | null): UserError =>
  new UserError(`The stack ${stack} is in ${state?.status}: resolve it in the CloudFormation console.`);

/** Takes one step toward a state in which a stack can be created or updated. */
const leadOut = async (target: Target, now: StackNow, tools: Tools): Promise<boolean> => {
  const { state, situation } = now;
  if (state === null || situation === 'stuck') throw stuck(target.stack, state);
  if (situation === 'half updated') return rollBack(target, state, tools);
  const why = situation === 'never ran' ? 'its first deployment failed' : 'its deletion failed';
  tools.say(
    `The stack ${target.stack} is in ${state.status}, because ${why}: deleting what is left of it, then deploying.`,
  );
  return deleteStack(target, now, tools);
};

/** The maximum number of steps in a row. Rolling back a failed update can itself require another step. */
const MAX_STEPS = 3;

/**
 * Brings a stack into a state in which it can be created or updated. Returns false after printing why that failed.
 * Throws a UserError for a state that only a person can resolve.
 */
export const makeDeployable = async (target: Target, tools: Tools): Promise<boolean> => {
  for (let step = 0; step < MAX_STEPS; step++) {
    const now = await waitUntilStable(target.stack, tools);
    if (now.situation === 'missing' || now.situation === 'running') return true;
    if (!(await leadOut(target, now, tools))) return false;
  }
  throw stuck(target.stack, (await readStack(target.stack, tools)).state);
};
