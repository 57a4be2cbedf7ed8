import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run destroy -- --stage dev [-c name=value ...]
Deletes a stage's stack including table and exports, unless keepData is set in the settings or in the deployed stack.
Also deletes what a failed first deployment or a failed deletion left behind.
  --stage NAME                 stage name
  -c name=value                stage setting, repeatable (lib/aws/README.md)
  --yes                        does not ask for confirmation
Uses the AWS CLI's credentials and region (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 if the deletion was refused or failed; 2 for invalid options.`;

const options = {
  stage: { type: 'string' },
  context: contextOption,
  yes: { type: 'boolean', default: false },
} as const;
const {
  stage = '',
  context,
  yes,
} = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  values.stage ? contextProblem(values.context) : '--stage NAME is required',
);

const [{ createAccountClient, awsConfig }, { runCdk }, { confirm }, { destroy }, { readStage }, { machine }] =
  await Promise.all([
    import('../../lib/tools/aws/account.ts'),
    import('../../lib/tools/aws/cdk.ts'),
    import('../../lib/tools/confirm.ts'),
    import('../../lib/tools/aws/deploy.ts'),
    import('../../lib/tools/aws/stage.ts'),
    import('../../shared/concurrency/machine.ts'),
  ]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  const { keepData } = await readStage(deployment.context);
  const tools = {
    account: createAccountClient(awsConfig(process.env)),
    cdk: runCdk,
    say: console.log,
    now: Date.now,
    pause: machine.sleep,
  };
  return destroy(deployment, keepData, { ...tools, confirm: yes ? async () => true : confirm });
}, console.error);
