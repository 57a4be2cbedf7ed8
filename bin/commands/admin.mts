import { readCommandLine } from '../../lib/local/command-line.ts';
import { tableLocation, tableOptionsProblem } from '../../lib/tools/table-location.ts';

const help = `npm run admin -- --stage prod [--username NAME]
Creates a system admin and prints the password once. Run it after the first deployment, or if all admins are locked out.
  --username admin             the admin's username, 1 to 64 characters
  --stage prod                 in AWS: this stage's table
  --table NAME                 in AWS: the table with this name
  --endpoint URL               an engine such as DynamoDB Local, with the table of --table or sensor-cloud
  --data-dir FOLDER            npm start data folder, running or not (default: DATA_DIR or .local)
Uses the AWS CLI's credentials and region (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 if the username is taken or a call to AWS fails; 2 for invalid options.`;

const text = { type: 'string' } as const;
const options = {
  stage: text,
  table: text,
  endpoint: text,
  'data-dir': text,
  username: { ...text, default: 'admin' },
} as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  /^\S(.{0,62}\S)?$/u.test(values.username) ? tableOptionsProblem(values) : '--username must have 1 to 64 characters',
);

// Imported here so `--help` does not load the SDK.
const [{ createAdminWithPassword }, { awsConfig }, { runTool }, { openTable }] = await Promise.all([
  import('../../lib/tools/admin.ts'),
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/run.ts'),
  import('../../lib/tools/table.ts'),
]);
process.exitCode = await runTool(async () => {
  const { table, close } = await openTable(
    tableLocation(given, process.env.DATA_DIR || '.local', awsConfig(process.env)),
  );
  try {
    console.log(`${given.username}: ${await createAdminWithPassword(table, given.username)}`);
    return true;
  } finally {
    await close();
  }
}, console.error);
