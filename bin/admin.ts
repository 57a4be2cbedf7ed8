import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAdmin } from '../lib/local/first.ts';
import { createTable, documentClientOf } from '../shared/store/client.ts';
import { store } from '../shared/store/store.ts';

const help = `npm run admin -- --table NAME [--username NAME]
Makes a system admin in a deployed cloud and prints the password, once. Credentials and region: as the AWS CLI has them.`;

const options = {
  table: { type: 'string' },
  username: { type: 'string', default: 'admin' },
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

const { table, username, help: wantsHelp } = read();
if (wantsHelp || !table) {
  console[wantsHelp ? 'log' : 'error'](help);
  process.exit(wantsHelp ? 0 : 2);
}
const password = randomBytes(15).toString('base64url');
const client = documentClientOf(new DynamoDBClient({}));
const admin = await createAdmin(store(createTable(client, table)), username, password, {
  now: Date.now,
  random: randomBytes,
});
console.log(admin ? `${username}: ${password}` : `there is a user ${username} already`);
process.exit(admin ? 0 : 1);
