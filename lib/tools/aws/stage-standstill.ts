import type { AccountClient } from './account.ts';
import type { EventSourceMapping } from './functions.ts';
import type { DeployedFunction } from './template.ts';
import { type Timing, waitUntil } from './wait-until.ts';

type Tools = { account: AccountClient; say: (line: string) => void } & Timing;

const isFed = ({ queues }: DeployedFunction): boolean => queues > 0;
const namesOf = (functions: readonly DeployedFunction[]) => functions.map(({ name }) => name);

const allAre = async (
  functions: readonly DeployedFunction[],
  { account }: Tools,
  wanted: (deployed: DeployedFunction) => number | null,
): Promise<boolean> => {
  for (const deployed of functions) {
    const reserved = await account.reserved(deployed.name);
    if (reserved !== wanted(deployed)) return false;
  }
  return true;
};
const reserveAll = async (
  functions: readonly DeployedFunction[],
  { account }: Tools,
  wanted: (deployed: DeployedFunction) => number | null,
): Promise<void> => {
  for (const deployed of functions) {
    const reserved = await account.reserved(deployed.name);
    if (reserved !== wanted(deployed)) await account.reserve(deployed.name, wanted(deployed));
  }
};
const stopped = () => 0;
const asDeployed = ({ reserved }: DeployedFunction) => reserved;

/**
 * Enables or disables all event source mappings, each once any earlier change is finished, and waits for the result.
 */
const switchAll = async (functions: readonly DeployedFunction[], isOn: boolean, tools: Tools): Promise<void> => {
  const { account } = tools;
  const wanted = isOn ? 'Enabled' : 'Disabled';
  const other = isOn ? 'Disabled' : 'Enabled';
  const areAllSwitched = async () => {
    const mappings = await account.mappings(namesOf(functions));
    for (const { id, state } of mappings) {
      if (state === other) await account.switchMapping(id, isOn);
    }
    return mappings.every(({ state }) => state === wanted) && (!isOn || mappings.length === queuesOf(functions));
  };
  await waitUntil(
    areAllSwitched,
    { what: `every queue that feeds a function is ${wanted.toLowerCase()}`, minutes: 15 },
    tools,
  );
};
const queuesOf = (functions: readonly DeployedFunction[]): number =>
  functions.reduce((sum, { queues }) => sum + queues, 0);

/**
 * Returns the steps that stop a stage's functions and start them again. `direct` counts functions not invoked by any
 * queue.
 */
export const createStandstill = (functions: readonly DeployedFunction[], tools: Tools) => {
  const direct = functions.filter((deployed) => !isFed(deployed));
  const fed = functions.filter(isFed);
  const areAll = async (state: EventSourceMapping['state']) =>
    (await tools.account.mappings(namesOf(fed))).filter((mapping) => mapping.state === state).length === queuesOf(fed);
  return {
    direct: direct.length,
    queues: queuesOf(fed),
    /** The longest time (s) a running invocation may still take. */
    longestSeconds: Math.max(0, ...functions.map(({ timeoutSeconds }) => timeoutSeconds)),

    /** Whether a function that should be running is stopped. */
    isAnyStopped: async (): Promise<boolean> => {
      for (const { name, reserved } of functions)
        if (reserved !== 0 && (await tools.account.reserved(name)) === 0) return true;
      return false;
    },

    areDirectStopped: () => allAre(direct, tools, stopped),
    stopDirect: () => reserveAll(direct, tools, stopped),

    areQueuesOff: async () => (await areAll('Disabled')) && (await allAre(fed, tools, stopped)),
    /** Disables the mappings and also stops the functions, because AWS IoT invokes some of them directly. */
    switchQueuesOff: async () => {
      await switchAll(fed, false, tools);
      await reserveAll(fed, tools, stopped);
    },

    areQueuesOn: async () => (await areAll('Enabled')) && (await allAre(fed, tools, asDeployed)),
    switchQueuesOn: async () => {
      await reserveAll(fed, tools, asDeployed);
      await switchAll(fed, true, tools);
    },

    areDirectRunning: () => allAre(direct, tools, asDeployed),
    startDirect: () => reserveAll(direct, tools, asDeployed),
  };
};
export type Standstill = ReturnType<typeof createStandstill>;
