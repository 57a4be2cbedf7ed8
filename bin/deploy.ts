import { readCommandLine } from '../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../lib/tools/aws/context.ts';
import { runTool } from '../lib/tools/run.ts';

const help = `npm run deploy -- --stage prod [-c name=value ...]
Checks what the CDK does not (credentials, bootstrap, SES, concurrency), says what the stage costs at rest, deploys it,
and says where it is. A sender that SES does not send for is left out, so that nobody is promised a mail.
  --stage dev                  the stage's name
  -c name=value                a setting of the stage, as often as wanted: see the table in README.md
  --yes                        asks nobody about changes of rights
Credentials and region: as the AWS CLI has them (AWS_PROFILE, AWS_REGION and so on).
Ends with 0, with 1 when a check or the deployment failed, with 2 when it is called wrongly.`;

const options = {
  stage: { type: 'string', default: 'dev' },
  context: contextOption,
  yes: { type: 'boolean', default: false },
} as const;
const { stage, context, yes } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  contextProblem(values.context),
);

const [{ awsAccount, awsConfig }, { runCdk }, { deploy }, { readStage }] = await Promise.all([
  import('../lib/tools/aws/account.ts'),
  import('../lib/tools/aws/cdk.ts'),
  import('../lib/tools/aws/deploy.ts'),
  import('../lib/tools/aws/stage.ts'),
]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  await readStage(deployment.context);
  const tools = { account: awsAccount(awsConfig(process.env)), cdk: runCdk, say: console.log };
  return deploy(deployment, tools, yes ? ['--require-approval', 'never'] : []);
}, console.error);
