import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createApp } from '#lib/aws/app.ts';
import type { Bundle } from '#lib/aws/functions/bundle.ts';
import type { LambdaName } from '#lib/aws/functions/lambdas.ts';
import { certificate } from '../fixtures/stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with the cloud assembly. */
    assembly: string;
    /** The folder with the assembly for the same stage, but with a load balancer for devices. */
    balanced: string;
    /** The function bundles. */
    bundles: Record<LambdaName, Bundle>;
  }
}

/**
 * A stage without a rate limit. Webhooks may call this machine, and there are aliases and a dashboard, as in
 * production.
 */
const context = {
  stage: 'dev',
  serviceVersion: '7.7.7',
  allowPrivateTargets: true,
  rateLimit: 0,
  mailSender: 'cloud@example.org',
  smsOrigin: 'arn:aws:sms-voice:eu-central-1:123456789012:phone-number/phone-0a1b2c',
  mqtt: true,
  gradualDeployments: true,
  dashboard: true,
  alarmEmail: 'night@example.org',
};

/** The same stage with a load balancer for devices. */
const balanced = {
  ...context,
  deviceApi: 'alb',
  deviceUrl: 'https://devices.example.org',
  deviceCertificateArn: certificate('b'),
};

/** Synthesizes that stage into a temporary folder, with and without a load balancer, once for all files. */
export const setup = async ({ provide }: TestProject) => {
  const outdir = mkdtempSync(join(tmpdir(), 'deployed-'));
  const { app, bundles } = await createApp({ outdir, context });
  app.synth();
  const other = join(outdir, 'balanced');
  // Both share the same functions.
  (await createApp({ outdir: other, context: balanced }, async () => bundles)).app.synth();
  provide('assembly', outdir);
  provide('balanced', other);
  provide('bundles', bundles);
  return () => rmSync(outdir, { recursive: true, force: true });
};
