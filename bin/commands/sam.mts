import { execFile } from 'node:child_process';
import { readCommandLine } from '../../lib/local/command-line.ts';
import { contextFrom, contextOption, contextProblem } from '../../lib/tools/aws/context.ts';
import { runTool } from '../../lib/tools/run.ts';
import { urlOf } from '../../lib/tools/sam/compose.ts';

const help = `npm run sam [-- --port 3001]
Writes the files that \`sam local start-api\` needs from the synthesised template, with one for docker compose that brings the
engines, and prints the three commands. No AWS account is needed; the commands need docker and the SAM CLI.
  --port 3001                  the port of the API
Engines of your own, by their addresses in a container, instead of those of docker compose:
  --table-endpoint http://host.docker.internal:8000      one like DynamoDB Local
  --queue-endpoint http://host.docker.internal:9324      one like ElasticMQ
  --kms-endpoint http://host.docker.internal:8080        one like local-kms, only for secrets of webhooks
  --mail-endpoint http://host.docker.internal:8005       one like SES, only for mails; docker compose brings none
  -c name=value                a setting of the stage, repeatable: see lib/aws/README.md
Exit code: 0; 1 when the template cannot be made; 2 for wrong options.`;

const at = (url: string) => ({ type: 'string', default: url }) as const;
const endpoints = {
  'table-endpoint': at(urlOf('table')),
  'queue-endpoint': at(urlOf('queues')),
  'kms-endpoint': at(urlOf('keys')),
  'mail-endpoint': at('http://host.docker.internal:8005'),
};
const options = { port: { type: 'string', default: '3001' }, ...endpoints, context: contextOption } as const;

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) < 1 || Number(values.port) > 65_535)
    return '--port is 1 to 65535';
  const wrong = (Object.keys(endpoints) as (keyof typeof endpoints)[]).find((name) => !URL.canParse(values[name]));
  return wrong ? `--${wrong} is a URL` : contextProblem(values.context);
});
const bare = (url: string) => url.replace(/\/$/, '');

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
          table: bare(given['table-endpoint']),
          queues: bare(given['queue-endpoint']),
          kms: bare(given['kms-endpoint']),
          mail: bare(given['mail-endpoint']),
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
