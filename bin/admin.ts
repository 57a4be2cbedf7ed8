import { randomBytes } from 'node:crypto';
import { readCommandLine } from '../lib/local/command-line.ts';
import { createAdmin } from '../lib/local/first.ts';
import { passwordsAt } from '../shared/auth/password.ts';
import { createTable, documentClient } from '../shared/store/client.ts';
import { store } from '../shared/store/store.ts';

const help = `npm run admin -- --table NAME [--username NAME]
Makes a system admin in a deployed cloud and prints the password, once. Credentials and region: as the AWS CLI has them.`;

const options = { table: { type: 'string' }, username: { type: 'string', default: 'admin' } } as const;

const { table = '', username } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  values.table ? null : 'which table? The stack names it in its output TableName',
);
const password = randomBytes(15).toString('base64url');
const client = documentClient({});
const admin = await createAdmin(store(createTable(client, table)), username, password, {
  now: Date.now,
  random: randomBytes,
  passwords: passwordsAt(),
});
console.log(admin ? `${username}: ${password}` : `there is a user ${username} already`);
process.exit(admin ? 0 : 1);
