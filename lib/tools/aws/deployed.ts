import { UserError } from '../user-error.ts';
import { type AccountClient, requireOutputs } from './account.ts';
import { STACK_TOO_OLD } from './checks.ts';
import type { RecoveryGoal } from './recovery.ts';
import { waitUntilStable } from './stack-recovery.ts';
import { credentialsSinceIn, type DeployedFunction, functionsIn, type Template } from './template.ts';
import type { Timing } from './wait-until.ts';

/** A deployed stage: address, current table, template and functions. */
export type Deployed = { url: string; table: string; template: Template; functions: readonly DeployedFunction[] };

/** Reads the deployed stage. */
export const readDeployed = async (account: AccountClient, { stage, stack }: RecoveryGoal): Promise<Deployed> => {
  const { TableName: table, Url: url = 'URL' } = await requireOutputs(account, stage);
  const template: Template = JSON.parse((await account.template(stack)) ?? '{}');
  const functions = functionsIn(template);
  if (table === undefined || functions === null) throw new UserError(`${STACK_TOO_OLD}.`);
  return { url, table, template, functions };
};

/**
 * Reads the deployed stage once CloudFormation has finished changing it, for example after an earlier run was killed.
 */
export const readDeployedWhenStable = async (
  account: AccountClient,
  goal: RecoveryGoal,
  tools: Timing & { say: (line: string) => void },
): Promise<Deployed> => {
  await waitUntilStable(goal.stack, { ...tools, account });
  return readDeployed(account, goal);
};

/** Whether the stage is deployed on the recovered table and has invalidated older credentials. */
export const isOnRecoveredTable = ({ target, settings }: RecoveryGoal, { table, template }: Deployed): boolean =>
  table === target && credentialsSinceIn(template) === settings.credentialsSince;
