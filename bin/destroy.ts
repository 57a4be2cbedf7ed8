import { readCommandLine } from '../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../lib/tools/aws/context.ts';
import { runTool } from '../lib/tools/run.ts';

const help = `npm run destroy -- --stage dev [-c name=value ...]
Deletes the stack of a stage, with its table. Refused where the stage keeps its data, by its settings or as it is deployed.
  --stage NAME                 the stage's name
  -c name=value                a setting of the stage, as often as wanted: see the table in README.md
  --yes                        does not ask again
Credentials and region: as the AWS CLI has them (AWS_PROFILE, AWS_REGION and so on).
Ends with 0, with 1 when it was refused or failed, with 2 when it is called wrongly.`;

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
  values.stage ? contextProblem(values.context) : 'which stage? --stage NAME',
);

const [{ awsAccount, awsConfig }, { runCdk }, { destroy }, { readStage }] = await Promise.all([
  import('../lib/tools/aws/account.ts'),
  import('../lib/tools/aws/cdk.ts'),
  import('../lib/tools/aws/deploy.ts'),
  import('../lib/tools/aws/stage.ts'),
]);
process.exitCode = await runTool(async () => {
  const deployment = { context: contextFrom(stage, context), folder: 'cdk.out' };
  const { keepData } = await readStage(deployment.context);
  const tools = { account: awsAccount(awsConfig(process.env)), cdk: runCdk, say: console.log };
  return destroy(deployment, keepData, tools, yes ? ['--force'] : []);
}, console.error);
