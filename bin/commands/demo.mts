import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run demo                 plays the main case as a story, in a cloud of its own
npm run demo -- --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             plays it in a running cloud; URL ends in /api/v1
                             (its delivery deadline is 15 s, so the story takes that long)`;

const options = {
  url: { type: 'string' },
  username: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  'provisioning-key': { type: 'string' },
} as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  values.url && !(values.password && values['provisioning-key'])
    ? 'a cloud that runs needs --password and --provisioning-key'
    : null,
);
const { url, username, password = 'a-password-for-the-demo' } = given;
const provisioningKey = given['provisioning-key'] ?? 'a-key-for-the-demo';

const [{ startCloud }, { tellStory }, { settingsFrom }] = await Promise.all([
  import('../../lib/local/cloud.ts'),
  import('../../lib/local/demo/story.ts'),
  import('../../shared/runtime/env.ts'),
]);

/** Starts a cloud for the demo, with a deadline that is short enough to wait for. */
const startOwn = () =>
  startCloud({
    port: 0,
    dataDir: ':memory:',
    settings: settingsFrom({ ALLOW_PRIVATE_TARGETS: 'true', DELIVERY_DEADLINE_SECONDS: '2' }),
    first: { adminUsername: username, adminPassword: password, provisioningKey },
  });

const cloud = url ? null : await startOwn();
const base = url ?? cloud?.url ?? '';
const held = await tellStory({ base, username, password, provisioningKey, say: console.log });
await cloud?.stop();
console.log(held ? 'Every check held.' : 'A check did not hold.');
process.exit(held ? 0 : 1);
