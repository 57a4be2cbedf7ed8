import { readCommandLine } from '../lib/local/command-line.ts';
import { whereFrom, whereProblem } from '../lib/tools/where.ts';

const help = `npm run admin -- --stage prod [--username NAME]
Makes a system admin and prints the password, once. To be run once after the first deployment, and by whoever is locked out.
  --username admin             how the admin logs in: 1 to 64 characters
  --stage prod                 in AWS: the stage's own table, found by its stack
  --table NAME                 in AWS: a table by its name
  --endpoint URL               at an engine like DynamoDB Local (with --table, else sensor-cloud)
  --data-dir FOLDER            of npm start, at work or at rest; without any of these DATA_DIR, or .local
Credentials and region: as the AWS CLI has them (AWS_PROFILE, AWS_REGION and so on).
Ends with 0, with 1 when the name is taken or AWS refuses, with 2 when it is called wrongly.`;

const text = { type: 'string' } as const;
const options = {
  ...{ stage: text, table: text, endpoint: text, 'data-dir': text },
  username: { ...text, default: 'admin' },
} as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  /^\S(.{0,62}\S)?$/u.test(values.username) ? whereProblem(values) : '--username is 1 to 64 characters',
);

// Who only asks for help need not wait for the SDK.
const [{ makeAdmin }, { awsConfig }, { runTool }, { openTable }] = await Promise.all([
  import('../lib/tools/admin.ts'),
  import('../lib/tools/aws/account.ts'),
  import('../lib/tools/run.ts'),
  import('../lib/tools/table.ts'),
]);
process.exitCode = await runTool(async () => {
  const { table, close } = await openTable(whereFrom(given, process.env.DATA_DIR || '.local', awsConfig(process.env)));
  try {
    console.log(`${given.username}: ${await makeAdmin(table, given.username)}`);
    return true;
  } finally {
    await close();
  }
}, console.error);
