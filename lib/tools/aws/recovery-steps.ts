import type { Table } from '#shared/store/engine/client.ts';
import { UserError } from '../user-error.ts';
import { formatCheck } from './checks.ts';
import { checkAndDeploy, type Deployment, prepare } from './deploy.ts';
import { type Deployed, isOnRecoveredTable, readDeployed, readDeployedWhenStable } from './deployed.ts';
import { repeatErasures } from './erasures.ts';
import { addTableExtras, hasTableExtras, isRestored, restore } from './recovered-table.ts';
import type { RecoveryGoal } from './recovery.ts';
import type { Tools as DeployTools } from './stack-recovery.ts';
import { createStandstill, type Standstill } from './stage-standstill.ts';
import { tableExtrasIn } from './template.ts';

/** The tools for a recovery. `tableNamed` opens a table in the account. */
export type RecoveryTools = DeployTools & { tableNamed: (name: string) => Table };

/**
 * A recovery step. The state in AWS shows whether the step is done. It can be repeated from any state left by a
 * failure.
 */
export type RecoveryStep = {
  what: string;
  isDone: () => Promise<boolean>;
  make: () => Promise<void>;
  /** The stage's condition when this step fails. */
  otherwise: string;
};

export const RUNNING = 'The stage runs as before.';
export const APIS_CLOSED =
  'The APIs of the stage are closed: falls may not be accepted until you run the same command again.';
const STOPPED = 'The APIs are closed and nothing runs: falls are not accepted until you run the same command again.';
const STARTING =
  'The stage is on the recovered table, but not all of it runs: falls may not be accepted until you run the same command again.';

const yes = async () => true;
const no = async () => false;

/** Checks that the deployment would succeed before anything is stopped for it. */
const check = async (deployment: Deployment, tools: RecoveryTools): Promise<void> => {
  const { checks } = await prepare(deployment, tools);
  const failed = checks.filter(({ what, verdict }) => verdict === 'failed' && what !== 'table');
  for (const check of failed) tools.say(formatCheck(check));
  if (failed.length > 0)
    throw new UserError('The stage cannot be deployed with these settings: see the failed checks above.');
};

const deploy = async (goal: RecoveryGoal, deployment: Deployment, tools: RecoveryTools): Promise<void> => {
  const released = await checkAndDeploy(deployment, tools, ['--require-approval', 'never']);
  if (released === null) throw new UserError('The deployment failed: see its output above.');
  if (!isOnRecoveredTable(goal, await readDeployedWhenStable(tools.account, goal, tools)))
    throw new UserError(`The deployment succeeded, but the stack ${goal.stack} does not use the table ${goal.target}.`);
};

/** Returns the steps that prepare the recovered table while the stage runs. */
const tableSteps = (
  { to, target }: RecoveryGoal,
  { table: source, template }: Deployed,
  otherwise: string,
  tools: RecoveryTools,
): RecoveryStep[] => {
  const recovery = { source, target, to };
  const wanted = tableExtrasIn(template);
  const isDone = source === target ? yes : () => isRestored(recovery, tools);
  return [
    {
      what: `recover the table ${source === target ? 'of the stage' : source} to ${new Date(to).toISOString()} as ${target}`,
      isDone,
      make: () => restore(recovery, tools),
      otherwise,
    },
    {
      what: 'enable TTL, point-in-time recovery and deletion protection as on the table of the stage',
      isDone: async () => (await isDone()) && (await hasTableExtras(target, wanted, tools)),
      make: () => addTableExtras(target, wanted, tools),
      otherwise,
    },
  ];
};

const stopSteps = (still: Standstill, { pause }: RecoveryTools): RecoveryStep[] => [
  {
    what: `close the APIs: stop ${still.direct} functions that no queue feeds`,
    isDone: still.areDirectStopped,
    make: still.stopDirect,
    otherwise: APIS_CLOSED,
  },
  {
    what: `disable ${still.queues} event source mappings and stop their functions`,
    isDone: still.areQueuesOff,
    make: still.switchQueuesOff,
    otherwise: APIS_CLOSED,
  },
  {
    what: `wait ${still.longestSeconds} s until running invocations have finished`,
    isDone: no,
    make: () => pause(still.longestSeconds * 1_000),
    otherwise: STOPPED,
  },
];

/**
 * Returns the step that repeats erasures made since the recovered time. The erasures run once the stage is running
 * again.
 */
const erasureStep = (
  { to, target }: RecoveryGoal,
  { table: source }: Deployed,
  { tableNamed, say, now }: RecoveryTools,
): RecoveryStep => ({
  what: 'repeat erasures of personal data made since then',
  isDone: no,
  make: async () => {
    if (source === target) return;
    const count = await repeatErasures(tableNamed(source), tableNamed(target), to, now());
    say(`        ${count} erasures`);
  },
  otherwise: STOPPED,
});

const startSteps = (goal: RecoveryGoal, first: Standstill, tools: RecoveryTools): RecoveryStep[] => {
  const { account } = tools;
  // The deployment may have changed the reservations.
  const stillOf = ({ functions }: Deployed) => createStandstill(functions, tools);
  const step = (
    what: string,
    isDone: (still: Standstill) => Promise<boolean>,
    make: RecoveryStep['make'],
  ): RecoveryStep => ({
    what,
    isDone: async () => {
      const deployed = await readDeployed(account, goal);
      return isOnRecoveredTable(goal, deployed) && isDone(stillOf(deployed));
    },
    make,
    otherwise: STARTING,
  });
  return [
    step(
      `enable ${first.queues} event source mappings and start their functions`,
      (still) => still.areQueuesOn(),
      async () => stillOf(await readDeployed(account, goal)).switchQueuesOn(),
    ),
    step(
      `open the APIs: start ${first.direct} functions that no queue feeds`,
      (still) => still.areDirectRunning(),
      async () => stillOf(await readDeployed(account, goal)).startDirect(),
    ),
  ];
};

/** Returns the steps in a recovery. `otherwise` describes the stage's condition if a step before the stop fails. */
export const recoverySteps = (
  goal: RecoveryGoal,
  { deployed, otherwise }: { deployed: Deployed; otherwise: string },
  deployment: Deployment,
  tools: RecoveryTools,
): RecoveryStep[] => {
  const settings = Object.entries(goal.settings).map(([name, value]) => `${name}=${value}`);
  const still = createStandstill(deployed.functions, tools);
  const untilSwitch: RecoveryStep[] = [
    {
      what: 'check that the stage can be deployed with these settings',
      isDone: no,
      make: () => check(deployment, tools),
      otherwise,
    },
    ...tableSteps(goal, deployed, otherwise, tools),
    ...stopSteps(still, tools),
    erasureStep(goal, deployed, tools),
    {
      what: `deploy the stage with ${settings.join(' and ')}`,
      isDone: no,
      make: () => deploy(goal, deployment, tools),
      otherwise: STOPPED,
    },
  ];
  const isOnTarget = isOnRecoveredTable(goal, deployed);
  return [
    ...(isOnTarget ? untilSwitch.map((step) => ({ ...step, isDone: yes })) : untilSwitch),
    ...startSteps(goal, still, tools),
  ];
};
