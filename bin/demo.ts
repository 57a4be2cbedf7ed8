import { parseArgs } from 'node:util';
import { startCloud } from '../lib/local/cloud.ts';
import { tellStory } from '../lib/local/demo/story.ts';
import { settingsFrom } from '../shared/env.ts';

const help = `npm run demo                 the main job as a story, in a cloud of its own
npm run demo -- --url URL --password PASSWORD --provisioning-key KEY [--username NAME]
                             the same against a cloud that runs; URL ends in /api/v1
                             (its deadline is 15 s: the story takes that long)`;

const options = {
  url: { type: 'string' },
  username: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  'provisioning-key': { type: 'string' },
  help: { type: 'boolean' },
} as const;

const read = () => {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
};

const given = read();
if (given.help) {
  console.log(help);
  process.exit(0);
}
const {
  url,
  username,
  password = 'a-password-for-the-demo',
  'provisioning-key': provisioningKey = 'a-key-for-the-demo',
} = given;
if (url && (!given.password || !given['provisioning-key'])) {
  console.error(`a cloud that runs needs --password and --provisioning-key\n\n${help}`);
  process.exit(2);
}

/** A cloud of its own, with a deadline that a story can wait for. */
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
