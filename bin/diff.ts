import { readCommandLine } from '../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../lib/tools/aws/context.ts';
import { runTool } from '../lib/tools/run.ts';

const help = `npm run diff -- --stage prod [-c name=value ...]
What \`npm run deploy\` with the same words would change in the stage's stack.
  --stage dev                  the stage's name
  -c name=value                a setting of the stage, as often as wanted: see the table in README.md
Credentials and region: as the AWS CLI has them (AWS_PROFILE, AWS_REGION and so on).
Ends with 0, also when there is something to change, with 1 when AWS refuses, with 2 when it is called wrongly.`;

const options = {
  stage: { type: 'string', default: 'dev' },
  context: contextOption,
} as const;
const { stage, context } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  contextProblem(values.context),
);

const [{ awsAccount, awsConfig }, { runCdk }, { diff }, { readStage }] = await Promise.all([
  import('../lib/tools/aws/account.ts'),
  import('../lib/tools/aws/cdk.ts'),
  import('../lib/tools/aws/deploy.ts'),
  import('../lib/tools/aws/stage.ts'),
]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  await readStage(deployment.context);
  return diff(deployment, { account: awsAccount(awsConfig(process.env)), cdk: runCdk, say: console.log });
}, console.error);
