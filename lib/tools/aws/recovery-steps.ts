import type { Table } from '#shared/store/engine/client.ts';
import { Refusal } from '../refusal.ts';
import { checkLine } from './checks.ts';
import { type Deployment, type Tools as DeployTools, prepare, release } from './deploy.ts';
import { type Deployed, isSwitched, lookAt, lookCalmly } from './deployed.ts';
import { repeatErasures } from './erasures.ts';
import { equip, isEquipped, isRestored, restore } from './recovered-table.ts';
import type { Goal } from './recovery.ts';
import { type Standstill, standstill } from './standstill.ts';
import { tableExtrasIn } from './template.ts';
import type { Waiting } from './waiting.ts';

/** `tableNamed`: opens a table of the account. */
export type RecoveryTools = DeployTools & Waiting & { tableNamed: (name: string) => Table };

/** A step of a recovery. It is done when AWS says so, and may be made again in any state that it can be left in. */
export type Step = {
  what: string;
  isDone: () => Promise<boolean>;
  make: () => Promise<void>;
  /** The state of the stage when this step fails. */
  otherwise: string;
};

export const RUNS = 'The stage runs as before.';
export const PARTLY = 'The APIs of the stage are closed: falls may not be accepted until you run this again.';
const STOPPED = 'The APIs are closed and nothing runs: falls are not accepted until you run this again.';
const STARTING =
  'The stage is on the recovered table, but not all of it runs: falls may not be accepted until you run this again.';

const yes = async () => true;
const no = async () => false;

/** Finds what would fail a deployment before anything is stopped for it. */
const check = async (deployment: Deployment, tools: RecoveryTools): Promise<void> => {
  const { checks } = await prepare(deployment, tools);
  const failed = checks.filter(({ what, verdict }) => verdict === 'failed' && what !== 'table');
  for (const check of failed) tools.say(checkLine(check));
  if (failed.length > 0) throw new Refusal('The stage cannot be deployed with these settings: what is wrong is above.');
};

const deploy = async (goal: Goal, deployment: Deployment, tools: RecoveryTools): Promise<void> => {
  const released = await release(deployment, tools, ['--require-approval', 'never']);
  if (released === null) throw new Refusal('The deployment failed: what it said is above.');
  if (!isSwitched(goal, await lookCalmly(tools.account, goal, tools)))
    throw new Refusal(`The deployment ended, and the stack ${goal.stack} is not on the table ${goal.target}.`);
};

/** The steps about the table, while the stage runs. `otherwise`: the state of the stage then. */
const tableSteps = (
  { to, target }: Goal,
  { table: source, template }: Deployed,
  otherwise: string,
  tools: RecoveryTools,
): Step[] => {
  const recovery = { source, target, to };
  const wanted = tableExtrasIn(template);
  const isThere = source === target ? yes : () => isRestored(recovery, tools);
  return [
    {
      what: `recover the table ${source === target ? 'of the stage' : source} to ${new Date(to).toISOString()} as ${target}`,
      isDone: isThere,
      make: () => restore(recovery, tools),
      otherwise,
    },
    {
      what: 'give it TTL, point-in-time recovery and deletion protection, as the table of the stage has them',
      isDone: async () => (await isThere()) && (await isEquipped(target, wanted, tools)),
      make: () => equip(target, wanted, tools),
      otherwise,
    },
  ];
};

const stopSteps = (still: Standstill, { pause }: RecoveryTools): Step[] => [
  {
    what: `close the APIs: ${still.direct} functions that no queue feeds`,
    isDone: still.areDirectStopped,
    make: still.stopDirect,
    otherwise: PARTLY,
  },
  {
    what: `switch off ${still.queues} event source mappings and the functions that they feed`,
    isDone: still.areQueuesOff,
    make: still.switchQueuesOff,
    otherwise: PARTLY,
  },
  {
    what: `wait for ${still.longestSeconds} s, until no function runs any more`,
    isDone: no,
    make: () => pause(still.longestSeconds * 1_000),
    otherwise: STOPPED,
  },
];

/** Erases in the recovered table what has been erased since then, as soon as the stage runs again. */
const erasureStep = (
  { to, target }: Goal,
  { table: source }: Deployed,
  { tableNamed, say, now }: RecoveryTools,
): Step => ({
  what: "begin the erasures of people's data again that began since then",
  isDone: no,
  make: async () => {
    if (source === target) return;
    const count = await repeatErasures(tableNamed(source), tableNamed(target), to, now());
    say(`        ${count} erasures`);
  },
  otherwise: STOPPED,
});

const startSteps = (goal: Goal, first: Standstill, tools: RecoveryTools): Step[] => {
  const { account } = tools;
  // The deployment may have changed what a function is to have.
  const stillOf = ({ functions }: Deployed) => standstill(functions, tools);
  const step = (what: string, isDone: (still: Standstill) => Promise<boolean>, make: Step['make']): Step => ({
    what,
    isDone: async () => {
      const deployed = await lookAt(account, goal);
      return isSwitched(goal, deployed) && isDone(stillOf(deployed));
    },
    make,
    otherwise: STARTING,
  });
  return [
    step(
      `switch on ${first.queues} event source mappings and the functions that they feed`,
      (still) => still.areQueuesOn(),
      async () => stillOf(await lookAt(account, goal)).switchQueuesOn(),
    ),
    step(
      `open the APIs: ${first.direct} functions that no queue feeds`,
      (still) => still.areDirectRunning(),
      async () => stillOf(await lookAt(account, goal)).startDirect(),
    ),
  ];
};

/** The steps of a recovery, from the stage as it is deployed at first. `otherwise`: its state until they are stopped. */
export const stepsOf = (
  goal: Goal,
  { deployed, otherwise }: { deployed: Deployed; otherwise: string },
  deployment: Deployment,
  tools: RecoveryTools,
): Step[] => {
  const settings = Object.entries(goal.settings).map(([name, value]) => `${name}=${value}`);
  const still = standstill(deployed.functions, tools);
  const toSwitch: Step[] = [
    {
      what: 'check that the stage can be deployed with the settings that were given',
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
  const isOver = isSwitched(goal, deployed);
  return [
    ...(isOver ? toSwitch.map((step) => ({ ...step, isDone: yes })) : toSwitch),
    ...startSteps(goal, still, tools),
  ];
};
