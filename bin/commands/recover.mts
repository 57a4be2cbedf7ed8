import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { goalOf, timeProblem } from '../../lib/tools/aws/recovery.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run recover -- --stage prod --to TIME [--plan] [-c name=value ...]
       npm run recover -- --data-dir FOLDER --from FOLDER
Brings a stage back to a time: recovers its table beside the present one, stops the stage, deploys it on the recovered table,
and starts it again. Logins and access tokens of before are void then, and erasures that began since then are made again. Devices keep their messages while it stands still.
Prints what it does, and how long each step took. After a failure it continues where it stopped, when it is run again.
  --stage NAME                 the name of the stage
  --to 2026-11-22T10:00:00Z    the time, with its time zone, at most 35 days ago
  --plan                       changes nothing: prints what is done, and what is to do
  -c name=value                a setting of the stage, repeatable: all that it was deployed with (lib/aws/README.md)
For a data folder that was restored from a backup: begins in it the erasures again that are in the folder of before.
  --data-dir FOLDER            the restored folder
  --from FOLDER                the folder of before, in which those erasures are
Run it from the version that is deployed. Credentials and region are those of the AWS CLI (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 when a step failed or AWS refuses; 2 for wrong options.`;

const options = {
  stage: { type: 'string' },
  to: { type: 'string' },
  plan: { type: 'boolean', default: false },
  context: contextOption,
  'data-dir': { type: 'string' },
  from: { type: 'string' },
} as const;
const {
  stage = '',
  to = '',
  plan: isPlan,
  context,
  'data-dir': dataDir,
  from,
} = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const folders = [values['data-dir'], values.from];
  if (folders.some(Boolean))
    return folders.every(Boolean) && !values.stage ? null : '--data-dir and --from go together, without --stage';
  if (!values.stage) return 'which stage? --stage NAME';
  return timeProblem(values.to, Date.now()) ?? contextProblem(values.context);
});

const [
  { awsAccount, awsConfig },
  { runCdk },
  { recover },
  { readStage },
  { machine },
  { createTable, documentClient },
] = await Promise.all([
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/aws/cdk.ts'),
  import('../../lib/tools/aws/recover.ts'),
  import('../../lib/tools/aws/stage.ts'),
  import('../../shared/concurrency/machine.ts'),
  import('../../shared/store/engine/client.ts'),
]);
process.exitCode = await runTool(async () => {
  if (dataDir !== undefined && from !== undefined) {
    const { eraseAgain } = await import('../../lib/tools/erase-again.ts');
    console.log(`${await eraseAgain(dataDir, from, Date.now())} erasures are begun again when the host starts.`);
    return true;
  }
  const goal = goalOf(stage, to);
  const deployment = { context: { ...contextFrom(stage, context), ...goal.settings }, folder: 'cdk.out' };
  await readStage(deployment.context);
  // A call that is refused for a moment must not leave the stage standing still.
  const account = awsAccount({ ...awsConfig(process.env), maxAttempts: 8 });
  const client = documentClient(awsConfig(process.env));
  const tableNamed = (name: string) => createTable(client, name);
  const tools = { account, cdk: runCdk, say: console.log, now: Date.now, pause: machine.sleep, tableNamed };
  return recover(goal, deployment, isPlan, tools);
}, console.error);
