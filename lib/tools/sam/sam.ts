import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_STAGE } from '#lib/aws/settings/local-stage.ts';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { type Cdk, readJson } from '../aws/cdk.ts';
import { type Context, contextArgs } from '../aws/context.ts';
import { Refusal } from '../refusal.ts';
import { composeFile, NETWORK } from './compose.ts';
import { type Engines, environmentFile, hostVariables, samTemplate } from './files.ts';

export type SamOptions = {
  context: Context;
  /** The output folder of the CDK. The files are written there too, because the code is there. */
  folder: string;
  engines: Engines;
  port: number;
  /** The processor architecture of this machine, as Node names it. */
  arch: string;
  platform: string;
};
type SamTools = {
  cdk: Cdk;
  /** Runs a command; gives whether its exit code is 0. */
  works: (command: string, args: readonly string[]) => Promise<boolean>;
  say: (line: string) => void;
};

const LINUX_HOST = '--add-host host.docker.internal:host-gateway';

const commandOf = ({ folder, port, platform }: SamOptions): string =>
  [
    `sam local start-api --template ${join(folder, 'sam.template.json')}`,
    `--env-vars ${join(folder, 'sam.env.json')} --port ${port} --warm-containers LAZY`,
    `--docker-network ${NETWORK}`,
    ...(platform === 'linux' ? [LINUX_HOST] : []),
  ].join(' ');

/** Gives a sentence for each of the two programs that is missing. */
const missing = async ({ works }: SamTools): Promise<string[]> => {
  const [docker, sam] = await Promise.all([works('docker', ['info']), works('sam', ['--version'])]);
  return [
    ...(docker ? [] : ['NOTE  There is no docker that runs here (`docker info` fails), and sam local needs it.']),
    ...(sam ? [] : ['NOTE  There is no `sam` here: install the AWS SAM CLI.']),
    ...(docker && sam
      ? []
      : ['      The files are written all the same. `npm start` runs the same handlers and needs neither.']),
  ];
};

/**
 * Writes the files that `sam local start-api` needs, made from the template of the stage `local`, and prints how to
 * run it.
 */
export const prepareSam = async (options: SamOptions, tools: SamTools): Promise<boolean> => {
  const { context, folder, engines, arch } = options;
  const { cdk, say } = tools;
  // `sam local` runs functions, and knows no aliases of them.
  const settings = { ...context, stage: LOCAL_STAGE, gradualDeployments: 'false' };
  const args = ['synth', '--quiet', '--output', folder, ...contextArgs(settings)];
  if ((await cdk(args)) !== 0) throw new Refusal('The CDK could not make the template: what it said is above.');
  const template = samTemplate(await readJson(join(folder, `${stackName(LOCAL_STAGE)}.template.json`)), arch);
  await writeFile(join(folder, 'sam.template.json'), JSON.stringify(template, null, 1));
  await writeFile(join(folder, 'sam.env.json'), JSON.stringify(environmentFile(engines), null, 1));
  await writeFile(join(folder, 'sam.compose.json'), JSON.stringify(composeFile, null, 1));
  const variables = Object.entries(hostVariables(engines)).map(([name, value]) => `${name}=${value}`);
  for (const line of [
    `Written: sam.template.json, sam.env.json and sam.compose.json in ${folder}. Then:`,
    '1. The engines: a table, queues, and a key for secrets of webhooks:',
    `   docker compose -f ${join(folder, 'sam.compose.json')} up -d`,
    '2. What makes the table, the queues and an admin, and works the queues off:',
    `   ${variables.join(' ')} npm start`,
    `3. The API in Lambda's own containers, at ${engines.url}/api/v1:`,
    `   ${commandOf(options)}`,
    ...(await missing(tools)),
  ])
    say(line);
  return true;
};
