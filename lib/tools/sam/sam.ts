import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_STAGE } from '#lib/aws/settings/local-stage.ts';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { type Cdk, readJson } from '../aws/cdk.ts';
import { type Context, contextArguments } from '../aws/context.ts';
import { UserError } from '../user-error.ts';
import { composeFile, DOCKER_NETWORK } from './compose.ts';
import { type Engines, environmentFile, hostVariables, samTemplate } from './files.ts';

export type SamOptions = {
  context: Context;
  /** The CDK output folder, with the code. The files are written there too. */
  folder: string;
  engines: Engines;
  port: number;
  /** This machine's processor architecture, as named by Node. */
  arch: string;
  platform: string;
};
type SamTools = {
  cdk: Cdk;
  /** Runs a command and returns whether the exit code is 0. */
  works: (command: string, args: readonly string[]) => Promise<boolean>;
  say: (line: string) => void;
};

const LINUX_HOST = '--add-host host.docker.internal:host-gateway';

const commandOf = ({ folder, port, platform }: SamOptions): string =>
  [
    `sam local start-api --template ${join(folder, 'sam.template.json')}`,
    `--env-vars ${join(folder, 'sam.env.json')} --port ${port} --warm-containers LAZY`,
    `--docker-network ${DOCKER_NETWORK}`,
    ...(platform === 'linux' ? [LINUX_HOST] : []),
  ].join(' ');

/** Returns a note for each missing program. */
const missingPrograms = async ({ works }: SamTools): Promise<string[]> => {
  const [docker, sam] = await Promise.all([works('docker', ['info']), works('sam', ['--version'])]);
  return [
    ...(docker ? [] : ['NOTE  Docker is not running (`docker info` fails), but `sam local` needs it.']),
    ...(sam ? [] : ['NOTE  `sam` was not found: install the AWS SAM CLI.']),
    ...(docker && sam
      ? []
      : ['      The files were written anyway. `npm start` runs the same handlers and needs neither.']),
  ];
};

/**
 * Writes the files needed by `sam local start-api`, based on the `local` stage's template, and prints the commands to
 * run.
 */
export const prepareSam = async (options: SamOptions, tools: SamTools): Promise<boolean> => {
  const { context, folder, engines, arch } = options;
  const { cdk, say } = tools;
  // `sam local` does not support aliases.
  const settings = { ...context, stage: LOCAL_STAGE, gradualDeployments: 'false' };
  const args = ['synth', '--quiet', '--output', folder, ...contextArguments(settings)];
  if ((await cdk(args)) !== 0) throw new UserError('The CDK could not synthesize the template: see its output above.');
  const template = samTemplate(await readJson(join(folder, `${stackName(LOCAL_STAGE)}.template.json`)), arch);
  await writeFile(join(folder, 'sam.template.json'), JSON.stringify(template, null, 1));
  await writeFile(join(folder, 'sam.env.json'), JSON.stringify(environmentFile(engines), null, 1));
  await writeFile(join(folder, 'sam.compose.json'), JSON.stringify(composeFile, null, 1));
  const variables = Object.entries(hostVariables(engines)).map(([name, value]) => `${name}=${value}`);
  for (const line of [
    `Wrote sam.template.json, sam.env.json and sam.compose.json to ${folder}. Now run:`,
    '1. The engines for table, queues and the key of the secrets:',
    `   docker compose -f ${join(folder, 'sam.compose.json')} up -d`,
    '2. The local host, which creates the table, the queues and an admin, and processes the queues:',
    `   ${variables.join(' ')} npm start`,
    `3. The API in Lambda containers, at ${engines.url}/api/v1:`,
    `   ${commandOf(options)}`,
    ...(await missingPrograms(tools)),
  ])
    say(line);
  return true;
};
