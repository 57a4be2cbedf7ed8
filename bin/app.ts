import { createApp } from '../lib/aws/app.ts';
import manifest from '../package.json' with { type: 'json' };

// cdk synth -c stage=prod -c publicUrl=https://cloud.example.org ...: lib/aws/stage.ts names all settings of a stage.
const { app } = await createApp({ context: { serviceVersion: manifest.version } });
app.synth();
