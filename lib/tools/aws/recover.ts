import { type Deployment, smokeCommand } from './deploy.ts';
import { type Deployed, lookAt, lookCalmly } from './deployed.ts';
import type { Goal } from './recovery.ts';
import { PARTLY, type RecoveryTools, RUNS, type Step, stepsOf } from './recovery-steps.ts';
import { standstill } from './standstill.ts';

const AGAIN = 'Run the same command again: it continues where it stopped.';
const UNTOUCHED =
  'Nothing was changed by this run. If an earlier one has stopped the stage, it is still stopped: run this again.';

type Took = { what: string; ms: number };

/** Looks at the stage, and prints where it is, what is done and what is to do. */
const plan = async (goal: Goal, deployment: Deployment, isPlan: boolean, tools: RecoveryTools) => {
  const { account, say } = tools;
  const { account: id, region } = await account.identity();
  say(`stage ${goal.stage}, account ${id}, region ${region}`);
  try {
    const deployed = await (isPlan ? lookAt(account, goal) : lookCalmly(account, goal, tools));
    const isStopped = await standstill(deployed.functions, tools).isAnyStopped();
    const steps = stepsOf(goal, { deployed, otherwise: isStopped ? PARTLY : RUNS }, deployment, tools);
    for (const { what, isDone } of steps) say(`${(await isDone()) ? 'done' : 'to do'}`.padEnd(8) + what);
    return { deployed, steps };
  } catch (error) {
    say(UNTOUCHED);
    throw error;
  }
};

/** Makes the steps that are not done. When one fails, prints which, and in what state the stage is. */
const makeAll = async (steps: readonly Step[], { say, now }: RecoveryTools): Promise<Took[]> => {
  const took: Took[] = [];
  for (const { what, isDone, make, otherwise } of steps) {
    const start = now();
    try {
      if (await isDone()) continue;
      say(`now     ${what}`);
      await make();
    } catch (error) {
      for (const line of [`FAILED  ${what}`, otherwise, AGAIN]) say(line);
      throw error;
    }
    took.push({ what, ms: now() - start });
  }
  return took;
};

const linesOf = ({ target, settings }: Goal, { table, url }: Deployed, took: readonly Took[]): string[] => [
  ...took.map(({ what, ms }) => `${(ms / 1_000).toFixed(1).padStart(9)} s  ${what}`),
  `The stage runs on the table ${target}. From now on these are settings of the stage, besides those that you gave:`,
  `  ${Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')}`,
  ...(table === target ? [] : [`What was written since then is in the table ${table} alone, which stays as it is.`]),
  'Next: what was withdrawn since then (lib/aws/runbook.md, "Restore the table"), and',
  `  ${smokeCommand(url)}`,
];

/**
 * Brings a stage back to a time: makes the steps that are not done, so that it continues where an earlier run stopped.
 * `deployment` has the settings of the goal, too. With `isPlan` it changes nothing, and prints what it would do.
 */
export const recover = async (
  goal: Goal,
  deployment: Deployment,
  isPlan: boolean,
  tools: RecoveryTools,
): Promise<boolean> => {
  const { deployed, steps } = await plan(goal, deployment, isPlan, tools);
  if (isPlan) return true;
  const took = await makeAll(steps, tools);
  for (const line of linesOf(goal, deployed, took)) tools.say(line);
  return true;
};
