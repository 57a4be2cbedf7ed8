import { Refusal } from '../refusal.ts';
import { type Account, outputsOf } from './account.ts';
import { UNNAMED } from './checks.ts';
import type { Goal } from './recovery.ts';
import { credentialsSinceIn, type DeployedFunction, functionsIn, type Template } from './template.ts';
import { until, type Waiting } from './waiting.ts';

/** A stage as it is deployed: its address, the table that it works on, its template and functions. */
export type Deployed = { url: string; table: string; template: Template; functions: readonly DeployedFunction[] };

export const lookAt = async (account: Account, { stage, stack }: Goal): Promise<Deployed> => {
  const { TableName: table, Url: url = 'URL' } = await outputsOf(account, stage);
  const template: Template = JSON.parse((await account.template(stack)) ?? '{}');
  const functions = functionsIn(template);
  if (table === undefined || functions === null) throw new Refusal(`${UNNAMED}.`);
  return { url, table, template, functions };
};

/** Looks at a stage once CloudFormation does not change it, as it may after an earlier run died. */
export const lookCalmly = async (
  account: Account,
  goal: Goal,
  tools: Waiting & { say: (line: string) => void },
): Promise<Deployed> => {
  const isCalm = async () => !(await account.isChanging(goal.stack));
  await until(isCalm, { what: `CloudFormation does not change ${goal.stack}`, minutes: 120 }, tools);
  return lookAt(account, goal);
};

/** Is the stage deployed on the recovered table, so that the credentials of before are void? */
export const isSwitched = ({ target, settings }: Goal, { table, template }: Deployed): boolean =>
  table === target && credentialsSinceIn(template) === settings.credentialsSince;
