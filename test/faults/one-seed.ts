import { afterAll, describe, expect, test } from 'vitest';
import { failsOnTheWay } from './aws.ts';
import type { Fault } from './fault.ts';
import { runFault } from './run-fault.ts';
import { type OpenTable, openNearTable, startRemoteTable } from './tables.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

/** Defines a test for each fault, with one seed. */
export const testFaults = (kinds: Readonly<Record<string, readonly Fault[]>>): void => {
  const worlds = new Map<OpenTable, Promise<FaultWorld>>();
  const worldWith = (open: OpenTable): Promise<FaultWorld> => {
    const world = worlds.get(open) ?? createFaultWorld(open);
    worlds.set(open, world);
    return world;
  };
  afterAll(async () => {
    for (const world of worlds.values()) await (await world).stop();
  });

  describe.each(Object.entries(kinds))('no acknowledged event is lost: %s', (_, faults) => {
    test.each(faults)('$title', async (fault) => {
      const world = await worldWith(failsOnTheWay(fault) ? startRemoteTable : openNearTable);
      const report = await runFault(world, fault, 1);
      const { lost, unexpected, wrong, renamed, unnoticed, pending, duplicated, injected, fired } = report;
      const none = { lost: [], unexpected: [], wrong: [], renamed: [], unnoticed: [], pending: 0 };
      expect({ lost, unexpected, wrong, renamed, unnoticed, pending }).toEqual(none);
      if (!fault.rates && !fault.story)
        expect({ duplicated, injected, fired }).toEqual({ duplicated: 0, injected: 0, fired: [] });
    });
  });
};
