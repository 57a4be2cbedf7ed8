import { afterAll, afterEach, expect, inject } from 'vitest';
import { useOtherStart } from '../fixtures/cloud.ts';
import { readAssembly } from './assembly.ts';
import { startDeployed } from './cloud.ts';
import { running } from './running.ts';

const assembly = readAssembly(inject('assembly'));
const balanced = readAssembly(inject('balanced'));

useOtherStart(async ({ deviceApi = 'http', ...options }) => {
  const cloud = await startDeployed(deviceApi === 'alb' ? balanced : assembly, options);
  running.push(cloud);
  return cloud;
});
afterEach(() => {
  for (const { judge, faults } of running)
    expect(
      [...judge.denied.splice(0), ...faults.splice(0)],
      'calls that a policy denied, and failed invocations',
    ).toEqual([]);
});
afterAll(() => {
  running.splice(0);
});
