import { type Deployment, smokeCommand } from './deploy.ts';
import { type Deployed, readDeployed, readDeployedWhenStable } from './deployed.ts';
import type { RecoveryGoal } from './recovery.ts';
import { APIS_CLOSED, type RecoveryStep, type RecoveryTools, RUNNING, recoverySteps } from './recovery-steps.ts';
import { createStandstill } from './stage-standstill.ts';

const RETRY = 'Run the same command again: it continues where it stopped.';
const UNCHANGED =
  'This run changed nothing. If an earlier run stopped the stage, it is still stopped: run the same command again.';

type Duration = { what: string; ms: number };

/** Reads the deployed stage and prints the account, the region, and which steps are done or still to do. */
const plan = async (goal: RecoveryGoal, deployment: Deployment, isPlan: boolean, tools: RecoveryTools) => {
  const { account, say } = tools;
  const { account: id, region } = await account.identity();
  say(`stage ${goal.stage}, account ${id}, region ${region}`);
  try {
    const deployed = await (isPlan ? readDeployed(account, goal) : readDeployedWhenStable(account, goal, tools));
    const isStopped = await createStandstill(deployed.functions, tools).isAnyStopped();
    const steps = recoverySteps(goal, { deployed, otherwise: isStopped ? APIS_CLOSED : RUNNING }, deployment, tools);
    for (const { what, isDone } of steps) say(`${(await isDone()) ? 'done' : 'to do'}`.padEnd(8) + what);
    return { deployed, steps };
  } catch (error) {
    say(UNCHANGED);
    throw error;
  }
};

/** Runs the remaining steps. If one fails, prints the step and the stage's condition. */
const runSteps = async (steps: readonly RecoveryStep[], { say, now }: RecoveryTools): Promise<Duration[]> => {
  const durations: Duration[] = [];
  for (const { what, isDone, make, otherwise } of steps) {
    const start = now();
    try {
      if (await isDone()) continue;
      say(`now     ${what}`);
      await make();
    } catch (error) {
      for (const line of [`FAILED  ${what}`, otherwise, RETRY]) say(line);
      throw error;
    }
    durations.push({ what, ms: now() - start });
  }
  return durations;
};

const linesOf = (
  { target, settings }: RecoveryGoal,
  { table, url }: Deployed,
  durations: readonly Duration[],
): string[] => [
  ...durations.map(({ what, ms }) => `${(ms / 1_000).toFixed(1).padStart(9)} s  ${what}`),
  `The stage runs on the table ${target}. From now on, its settings also include:`,
  `  ${Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')}`,
  ...(table === target ? [] : [`Data written since then is only in the table ${table}, which stays unchanged.`]),
  'Next: revoke again what was revoked since then (lib/aws/runbook.md, "Restore the table"), and run',
  `  ${smokeCommand(url)}`,
];

/**
 * Restores a stage to an earlier time by running the remaining steps, so it continues where an earlier run stopped.
 * `deployment` includes the goal's settings. With `isPlan`, only prints the steps.
 */
export const recover = async (
  goal: RecoveryGoal,
  deployment: Deployment,
  isPlan: boolean,
  tools: RecoveryTools,
): Promise<boolean> => {
  const { deployed, steps } = await plan(goal, deployment, isPlan, tools);
  if (isPlan) return true;
  const durations = await runSteps(steps, tools);
  for (const line of linesOf(goal, deployed, durations)) tools.say(line);
  return true;
};
