import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '#lib/aws/app.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { adminOf } from '../fixtures/home.ts';
import { readAssembly } from './assembly.ts';
import { type Deployed, startDeployed } from './cloud.ts';

const outdir = mkdtempSync(join(tmpdir(), 'canary-'));
const clock = skippingClock(Date.now());
let cloud: Deployed;

beforeAll(async () => {
  const context = { stage: 'dev', canary: true, alarmEmail: 'night@example.org', allowPrivateTargets: true };
  const { app } = await createApp({ outdir, context });
  app.synth();
  const first = { adminUsername: 'admin', adminPassword: ADMIN_PASSWORD, provisioningKey: PROVISIONING_KEY };
  const passwordCost = { memory: 64, passes: 1, parallelism: 1 };
  cloud = await startDeployed(readAssembly(outdir), { first, passwordCost, clock, isReached: true });
});
afterAll(async () => {
  await cloud.stop();
  rmSync(outdir, { recursive: true });
});

test('a canary fall passes through both APIs and reaches the webhook in every round', async () => {
  const admin = await adminOf(cloud.url);
  const seconds = async () => (await admin.ok<{ canarySeconds: number | null }>('GET', '/health')).canarySeconds;
  expect(await seconds()).toBe(null);
  for (const _ of ['the first round, which creates the home', 'the next round']) {
    clock.skipTo(clock.now() + CANARY_SECONDS * 1_000);
    await eventually(async () => expect(await seconds()).toBeLessThan(60));
    await cloud.idle();
  }
  expect([...cloud.measured]).toContain('SensorCloud-dev CanaryTime service=sensor-cloud');
  expect([cloud.judge.denied, cloud.faults]).toEqual([[], []]);
});
