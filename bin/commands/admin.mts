import { readCommandLine } from '../../lib/local/command-line.ts';
import { whereFrom, whereProblem } from '../../lib/tools/where.ts';

const help = `npm run admin -- --stage prod [--username NAME]
Creates a system admin and prints its password, once. Run it after the first deployment, or when all admins are locked out.
  --username admin             the username of the admin: 1 to 64 characters
  --stage prod                 in AWS: the table of a stage, found by its stack
  --table NAME                 in AWS: a table by its name
  --endpoint URL               an engine like DynamoDB Local; the table is that of --table, or sensor-cloud
  --data-dir FOLDER            the folder of npm start, running or not; the default is DATA_DIR, or .local
Credentials and region are those of the AWS CLI (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 when the name is taken or AWS refuses; 2 for wrong options.`;

const text = { type: 'string' } as const;
const options = {
  stage: text,
  table: text,
  endpoint: text,
  'data-dir': text,
  username: { ...text, default: 'admin' },
} as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  /^\S(.{0,62}\S)?$/u.test(values.username) ? whereProblem(values) : '--username is 1 to 64 characters',
);

// The SDK is imported only here, so that `--help` answers at once.
const [{ makeAdmin }, { awsConfig }, { runTool }, { openTable }] = await Promise.all([
  import('../../lib/tools/admin.ts'),
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/run.ts'),
  import('../../lib/tools/table.ts'),
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
