import { createApp } from '../../lib/aws/app.ts';
import manifest from '../../package.json' with { type: 'json' };

// cdk synth -c stage=prod -c publicUrl=https://cloud.example.org ... (lib/aws/README.md lists the settings)
try {
  const { app } = await createApp({ context: { serviceVersion: manifest.version } });
  app.synth();
} catch (error) {
  // Setting and stack errors are sentences for the user, so they are printed without a stack trace.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
