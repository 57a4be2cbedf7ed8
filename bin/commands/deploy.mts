import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run deploy -- --stage prod [-c name=value ...]
Checks what the CDK does not (credentials, bootstrap, SES, concurrency, alarms), prints the cost at rest, deploys the stage
and prints the addresses. A sender that SES does not accept is left out, so that the service does not offer email.
  --stage dev                  stage name
  -c name=value                stage setting, repeatable (lib/aws/README.md)
  --yes                        does not ask before permission changes
Uses the AWS CLI's credentials and region (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0; 1 if a check or the deployment failed; 2 for invalid options.`;

const options = {
  stage: { type: 'string', default: 'dev' },
  context: contextOption,
  yes: { type: 'boolean', default: false },
} as const;
const { stage, context, yes } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  contextProblem(values.context),
);

const [{ createAccountClient, awsConfig }, { runCdk }, { deploy }, { readStage }, { machine }] = await Promise.all([
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/aws/cdk.ts'),
  import('../../lib/tools/aws/deploy.ts'),
  import('../../lib/tools/aws/stage.ts'),
  import('../../shared/concurrency/machine.ts'),
]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  await readStage(deployment.context);
  const tools = {
    account: createAccountClient(awsConfig(process.env)),
    cdk: runCdk,
    say: console.log,
    now: Date.now,
    pause: machine.sleep,
  };
  return deploy(deployment, tools, yes ? ['--require-approval', 'never'] : []);
}, console.error);
