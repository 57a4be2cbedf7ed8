import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createApp } from '../../lib/aws/app.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the cloud assembly. */
    assembly: string;
  }
}

/** A stage whose webhooks may call a receiver on the machine of the tests, and that limits nobody. */
const context = {
  stage: 'dev',
  serviceVersion: '7.7.7',
  allowPrivateTargets: true,
  rateLimit: 0,
  mailSender: 'cloud@example.org',
  mqtt: true,
};

/** `npm run synth` of that stage into a folder of its own, once for all files. */
export const setup = async ({ provide }: TestProject) => {
  const outdir = mkdtempSync(join(tmpdir(), 'deployed-'));
  const { app } = await createApp({ outdir, context });
  app.synth();
  provide('assembly', outdir);
  return () => rmSync(outdir, { recursive: true, force: true });
};
