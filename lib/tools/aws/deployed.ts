import { Refusal } from '../refusal.ts';
import { type Account, outputsOf } from './account.ts';
import { UNNAMED } from './checks.ts';
import type { Goal } from './recovery.ts';
import { credentialsSinceIn, type DeployedFunction, functionsIn, type Template } from './template.ts';
import { until, type Waiting } from './waiting.ts';

/** A deployed stage: its address, current table, template and functions. */
export type Deployed = { url: string; table: string; template: Template; functions: readonly DeployedFunction[] };

/** Reads the deployed stage. */
export const lookAt = async (account: Account, { stage, stack }: Goal): Promise<Deployed> => {
  const { TableName: table, Url: url = 'URL' } = await outputsOf(account, stage);
  const template: Template = JSON.parse((await account.template(stack)) ?? '{}');
  const functions = functionsIn(template);
  if (table === undefined || functions === null) throw new Refusal(`${UNNAMED}.`);
  return { url, table, template, functions };
};

/** Reads the deployed stage once CloudFormation has finished changing it, for example after an earlier run was killed. */
export const lookCalmly = async (
  account: Account,
  goal: Goal,
  tools: Waiting & { say: (line: string) => void },
): Promise<Deployed> => {
  const isStable = async () => !(await account.isChanging(goal.stack));
  await until(isStable, { what: `CloudFormation has finished changing ${goal.stack}`, minutes: 120 }, tools);
  return lookAt(account, goal);
};

/** Whether the stage is deployed on the recovered table and has invalidated older credentials. */
export const isSwitched = ({ target, settings }: Goal, { table, template }: Deployed): boolean =>
  table === target && credentialsSinceIn(template) === settings.credentialsSince;
