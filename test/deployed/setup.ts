import { afterAll, afterEach, expect, inject } from 'vitest';
import { startElsewhere } from '../fixtures/cloud.ts';
import { readAssembly } from './assembly.ts';
import { type Deployed, startDeployed } from './cloud.ts';
import { noteIdle } from './idle-rights.ts';

const folder = inject('assembly');
const assembly = readAssembly(folder);
const running: Deployed[] = [];

startElsewhere(async (options) => {
  const cloud = await startDeployed(assembly, options);
  running.push(cloud);
  return cloud;
});
afterEach(() => {
  for (const { judge, faults } of running)
    expect([...judge.denied.splice(0), ...faults.splice(0)], 'denied by a policy, or failed').toEqual([]);
});
afterAll(() => {
  for (const { judge } of running.splice(0)) noteIdle(folder, judge.unused());
});
