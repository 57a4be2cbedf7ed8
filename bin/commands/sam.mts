import { execFile } from 'node:child_process';
import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { runTool } from '../../lib/tools/run.ts';
import { engineUrl } from '../../lib/tools/sam/compose.ts';

const help = `npm run sam [-- --port 3001]
Writes the files that \`sam local start-api\` needs, with a Docker Compose file for the engines, and prints the three commands
to run. Requires Docker and the SAM CLI, but not an AWS account.
  --port 3001                  API port
  -c name=value                stage setting, repeatable (lib/aws/README.md)
To use engines other than those from Docker Compose, set their addresses as seen from a container:
  --table-endpoint http://host.docker.internal:8000      such as DynamoDB Local
  --queue-endpoint http://host.docker.internal:9324      such as ElasticMQ
  --kms-endpoint http://host.docker.internal:8080        such as local-kms, only for webhook secrets
  --mail-endpoint http://host.docker.internal:8005       an engine for SES, only for email; not in the Docker Compose file
Exit code: 0; 1 if the template cannot be synthesized; 2 for invalid options.`;

const at = (url: string) => ({ type: 'string', default: url }) as const;
const endpoints = {
  'table-endpoint': at(engineUrl('table')),
  'queue-endpoint': at(engineUrl('queues')),
  'kms-endpoint': at(engineUrl('keys')),
  'mail-endpoint': at('http://host.docker.internal:8005'),
};
const options = { port: { type: 'string', default: '3001' }, ...endpoints, context: contextOption } as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) < 1 || Number(values.port) > 65_535)
    return '--port must be 1 to 65535';
  const wrong = (Object.keys(endpoints) as (keyof typeof endpoints)[]).find((name) => !URL.canParse(values[name]));
  return wrong ? `--${wrong} must be a URL` : contextProblem(values.context);
});
const withoutSlash = (url: string) => url.replace(/\/$/, '');

const [{ runCdk }, { prepareSam }] = await Promise.all([
  import('../../lib/tools/aws/cdk.ts'),
  import('../../lib/tools/sam/sam.ts'),
]);
process.exitCode = await runTool(
  () =>
    prepareSam(
      {
        context: contextFrom('local', given.context),
        folder: 'cdk.out',
        port: Number(given.port),
        engines: {
          table: withoutSlash(given['table-endpoint']),
          queues: withoutSlash(given['queue-endpoint']),
          kms: withoutSlash(given['kms-endpoint']),
          mail: withoutSlash(given['mail-endpoint']),
          url: `http://127.0.0.1:${given.port}`,
        },
        arch: process.arch,
        platform: process.platform,
      },
      {
        cdk: runCdk,
        works: (command, args) => new Promise((resolve) => execFile(command, args, (error) => resolve(error === null))),
        say: console.log,
      },
    ),
  console.error,
);
