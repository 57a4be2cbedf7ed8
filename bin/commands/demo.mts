import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run demo                 plays through the main scenario on a separate local host
npm run demo -- --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             plays it against a running service; URL ends in /api/v1
                             (takes 15 s longer there, because of the delivery deadline)`;

const options = {
  url: { type: 'string' },
  username: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  'provisioning-key': { type: 'string' },
} as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  values.url && !(values.password && values['provisioning-key'])
    ? '--url requires --password and --provisioning-key'
    : null,
);
const { url, username, password = 'a-password-for-the-demo' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-demo';

const [{ startCloud }, { runStory }, { settingsFrom }] = await Promise.all([
  import('../../lib/local/cloud.ts'),
  import('../../lib/local/demo/story.ts'),
  import('../../shared/runtime/env.ts'),
]);

/** Starts a host for the demo, with a delivery deadline short enough to wait for. */
const startHost = () =>
  startCloud({
    port: 0,
    dataDir: ':memory:',
    settings: settingsFrom({ ALLOW_PRIVATE_TARGETS: 'true', DELIVERY_DEADLINE_SECONDS: '2' }),
    first: { adminUsername: username, adminPassword: password, provisioningKey },
  });

const cloud = url ? null : await startHost();
const base = url ?? cloud?.url ?? '';
const passed = await runStory({ base, username, password, provisioningKey, say: console.log });
await cloud?.stop();
console.log(passed ? 'All checks passed.' : 'A check failed.');
process.exit(passed ? 0 : 1);
