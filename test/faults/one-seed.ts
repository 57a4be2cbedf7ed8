import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from './fault.ts';
import { runFault } from './run-fault.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

/** Defines a test for each fault, with one seed. */
export const testFaults = (kinds: Readonly<Record<string, readonly Fault[]>>): void => {
  let world: FaultWorld;
  beforeAll(async () => {
    world = await createFaultWorld();
  });
  afterAll(() => world.stop());

  describe.each(Object.entries(kinds))('nothing that was acknowledged is lost: %s', (_, faults) => {
    test.each(faults)('$title', async (fault) => {
      const { lost, unexpected, wrong, renamed, pending, duplicated, injected } = await runFault(world, fault, 1);
      const none = { lost: [], unexpected: [], wrong: [], renamed: [], pending: 0 };
      expect({ lost, unexpected, wrong, renamed, pending }).toEqual(none);
      if (!fault.rates && !fault.story) expect({ duplicated, injected }).toEqual({ duplicated: 0, injected: 0 });
    });
  });
};
