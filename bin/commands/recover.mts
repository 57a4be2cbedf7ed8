import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { recoveryGoal, recoveryTimeProblem } from '../../lib/tools/aws/recovery.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run recover -- --stage prod --to TIME [--plan] [-c name=value ...]
       npm run recover -- --data-dir FOLDER --from FOLDER
Brings a stage back to an earlier time: recovers the table next to the current one, stops the stage, deploys it on the
recovered table and starts it again. Older logins and access tokens become invalid, and erasures made since then are
repeated. Devices keep their messages while the stage is stopped. Prints each step with its duration. If a step fails,
run the same command again: it continues there.
  --stage NAME                 stage name
  --to 2026-11-22T10:00:00Z    the time, with a time zone, at most 35 days ago
  --plan                       only prints the steps and which are done
  -c name=value                stage setting, repeatable: all that it was deployed with (lib/aws/README.md)
After a data folder was restored from a backup, repeats the erasures made since then:
  --data-dir FOLDER            the restored folder
  --from FOLDER                the replaced folder, where those erasures are recorded
Run this from the deployed version. Uses the AWS CLI's credentials and region (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 if a step or a call to AWS failed; 2 for invalid options.`;

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
    return folders.every(Boolean) && !values.stage
      ? null
      : '--data-dir and --from require each other, and exclude --stage';
  if (!values.stage) return '--stage NAME is required';
  return recoveryTimeProblem(values.to, Date.now()) ?? contextProblem(values.context);
});

const [
  { createAccountClient, awsConfig },
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
    const { repeatErasuresInFolder } = await import('../../lib/tools/repeat-erasures.ts');
    console.log(
      `${await repeatErasuresInFolder(dataDir, from, Date.now())} erasures will be repeated when the host starts.`,
    );
    return true;
  }
  const goal = recoveryGoal(stage, to);
  const deployment = { context: { ...contextFrom(stage, context), ...goal.settings }, folder: 'cdk.out' };
  await readStage(deployment.context);
  // A transient error must not leave the stage stopped.
  const account = createAccountClient({ ...awsConfig(process.env), maxAttempts: 8 });
  const client = documentClient(awsConfig(process.env));
  const tableNamed = (name: string) => createTable(client, name);
  const tools = { account, cdk: runCdk, say: console.log, now: Date.now, pause: machine.sleep, tableNamed };
  return recover(goal, deployment, isPlan, tools);
}, console.error);
