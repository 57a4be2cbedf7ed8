import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run diff -- --stage prod [-c name=value ...]
Prints what \`npm run deploy\` would change in the stack with the same options.
  --stage dev                  stage name
  -c name=value                stage setting, repeatable (lib/aws/README.md)
Uses the AWS CLI's credentials and region (AWS_PROFILE, AWS_REGION and so on).
Exit code: 0, with or without changes; 1 if a call to AWS fails; 2 for invalid options.`;

const options = {
  stage: { type: 'string', default: 'dev' },
  context: contextOption,
} as const;
const { stage, context } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  contextProblem(values.context),
);

const [{ createAccountClient, awsConfig }, { runCdk }, { diff }, { readStage }] = await Promise.all([
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/aws/cdk.ts'),
  import('../../lib/tools/aws/deploy.ts'),
  import('../../lib/tools/aws/stage.ts'),
]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  await readStage(deployment.context);
  return diff(deployment, { account: createAccountClient(awsConfig(process.env)), cdk: runCdk, say: console.log });
}, console.error);
