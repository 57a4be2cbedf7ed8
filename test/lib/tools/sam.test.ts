import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entrySource } from '#lib/aws/functions/entry.ts';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { variableNames } from '#lib/local/variables.ts';
import { type Template as Json, resourcesOf } from '#lib/tools/aws/template.ts';
import { composeFile, DOCKER_NETWORK, engineUrl } from '#lib/tools/sam/compose.ts';
import { type Engines, environmentFile, hostVariables } from '#lib/tools/sam/files.ts';
import { prepareSam, type SamOptions } from '#lib/tools/sam/sam.ts';
import { type Dynoxide, startDynoxide } from '#test/fixtures/dynoxide.ts';
import { stackOf } from '#test/fixtures/stack.ts';

/** The settings for a `sam local` template. `sam local` does not support aliases. */
const settings = { stage: 'local', gradualDeployments: 'false' };
const local: Json = stackOf(settings).template.toJSON();
const dev: Json = stackOf().template.toJSON();
const variablesOf = (template: Json): Record<string, unknown>[] =>
  resourcesOf(template, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties.Environment.Variables);

let folder: string;
let engine: Dynoxide;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-sam-'));
  engine = await startDynoxide();
  await ensureTable(engine.endpoint, 'sensor-cloud');
});
afterAll(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true });
});

const engines = {
  table: 'http://host.docker.internal:8000',
  queues: 'http://host.docker.internal:9324',
  kms: 'http://k',
  mail: 'http://m',
  url: 'http://127.0.0.1:3001',
};

const byCompose = {
  table: engineUrl('table'),
  queues: engineUrl('queues'),
  kms: engineUrl('keys'),
  mail: 'http://m',
  url: 'http://127.0.0.1:3001',
};

describe('the sam local environment', () => {
  const { Parameters } = environmentFile(engines);
  test('sets only variables in the template, because other variables do not reach the functions', () => {
    const known = new Set(variablesOf(local).flatMap(Object.keys));
    expect(Object.keys(Parameters).filter((name) => !known.has(name))).toEqual([]);
  });

  test('sets every variable whose value is otherwise known only after a deployment', () => {
    const unknown = variablesOf(local).flatMap((variables) =>
      Object.entries(variables).flatMap(([name, value]) => (typeof value === 'string' ? [] : [name])),
    );
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.filter((name) => !Parameters[name])).toEqual([]);
  });

  test('only the local environment points at local engines', () => {
    for (const variables of variablesOf(local))
      expect(Object.keys(variables)).toEqual(
        expect.arrayContaining(['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS']),
      );
    expect(JSON.stringify(dev)).not.toContain('AWS_ENDPOINT_URL');
    expect(Parameters.EVENTS_QUEUE_URL).toBe(`${engines.queues}/000000000000/sensor-cloud-events.fifo`);
  });

  test('a handler can reach the table with the generated variables', async () => {
    const server = variablesOf(local).find((variables) => 'SERVICE_NAME' in variables && 'DEVICE_URL' in variables);
    const values = environmentFile({ ...engines, table: engine.endpoint }).Parameters;
    const given = Object.entries(server ?? {}).map(([name, value]) => [name, values[name] ?? value]);
    const event = { httpMethod: 'GET', resource: '/api/v1/health', headers: {}, multiValueHeaders: {} };
    const source = `${await entrySource('server')}
    const answer = await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 });
    console.log(answer.statusCode, answer.body);`;
    const env = { ...Object.fromEntries(given), AWS_REGION: 'us-east-1', PATH: '' };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], { env });
    expect(stdout).toContain('200 {"status":"OK"}');
  });
});

describe('the sam local engines', () => {
  const { services, configs, networks } = composeFile;

  test('engines share a network with the functions, which call them by name', () => {
    const { Parameters } = environmentFile(byCompose);
    const called = ['DYNAMODB', 'SQS', 'KMS'].map((name) => new URL(Parameters[`AWS_ENDPOINT_URL_${name}`] ?? ''));
    expect(called.map(({ hostname }) => hostname)).toEqual(Object.keys(services));
    expect(called.map(({ port }) => port)).toEqual(
      Object.values(services).flatMap(({ ports }) => ports.map((port) => port.split(':')[2])),
    );
    expect(networks.default.name).toBe(DOCKER_NETWORK);
  });

  test('engines listen on the loopback interface for npm start', () => {
    const variables = hostVariables(byCompose);
    const ports = Object.values(services).flatMap((service) => service.ports);
    expect(ports).toEqual(['127.0.0.1:8000:8000', '127.0.0.1:9324:9324', '127.0.0.1:8080:8080']);
    const called = ['DYNAMODB', 'SQS', 'KMS'].map((name) => variables[`AWS_ENDPOINT_URL_${name}`]);
    expect(called).toEqual(ports.map((port) => `http://${port.replace(/:\d+$/, '')}`));
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(variables)));
  });

  test('engines can be replaced with ones at other addresses', () => {
    const own = { ...byCompose, table: 'http://host.docker.internal:9000', queues: 'http://10.0.0.5:9324' };
    expect(hostVariables(own)).toMatchObject({
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9000',
      AWS_ENDPOINT_URL_SQS: 'http://10.0.0.5:9324',
    });
  });

  test('engines use the same key as the functions', () => {
    expect(configs.keys.content).toContain(`AliasName: ${environmentFile(byCompose).Parameters.SECRETS_KEY_ARN}\n`);
    expect(services.keys.configs.map(({ source }) => source)).toEqual(Object.keys(configs));
  });
});

describe('npm run sam', () => {
  const run = async (works: boolean, platform = 'linux', called: Engines = engines) => {
    const lines: string[] = [];
    const calls: string[][] = [];
    const cdk = async (args: readonly string[]) => {
      calls.push([...args]);
      await writeFile(join(folder, 'SensorCloud-local.template.json'), JSON.stringify(local));
      return 0;
    };
    const options: SamOptions = {
      context: { stage: 'local' },
      folder,
      engines: called,
      port: 3_001,
      arch: 'x64',
      platform,
    };
    const say = (line: string) => void lines.push(line);
    expect(await prepareSam(options, { cdk, works: async () => works, say })).toBe(true);
    return { text: lines.join('\n'), calls };
  };

  test('writes the files and prints the three commands', async () => {
    const { text, calls } = await run(true);
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    expect(calls).toEqual([['synth', '--quiet', '--output', folder, ...given]]);
    const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
    expect(await read('sam.env.json')).toEqual(environmentFile(engines));
    expect(text.match(/^ {3}\S+/gm)).toEqual([
      '   docker',
      '   AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000',
      '   sam',
    ]);
    const functions = resourcesOf(await read('sam.template.json'), 'AWS::Lambda::Function');
    expect(functions).toHaveLength(variablesOf(local).length);
    for (const [, { Properties }] of functions) expect(Properties.Architectures).toEqual(['x86_64']);
    const command = `sam local start-api --template ${folder}/sam.template.json --env-vars ${folder}/sam.env.json`;
    expect(text).toContain(command);
    expect(text).toContain(`--docker-network ${DOCKER_NETWORK}`);
    expect(text).toContain('--add-host host.docker.internal:host-gateway');
    expect(text).not.toContain('NOTE');
    expect((await run(true, 'darwin')).text).not.toContain('--add-host');
  });

  test('prints the same commands as the README', async () => {
    const { text } = await run(true, 'linux', byCompose);
    const readme = await readFile(new URL('../../../lib/tools/sam/README.md', import.meta.url), 'utf8');
    const commands = (text.match(/^ {3}\S.*$/gm) ?? []).map((line) => line.trim().replaceAll(folder, 'cdk.out'));
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(readme).toContain(`\n${command}`);
  });

  test('reports that Docker or the SAM CLI is missing', async () => {
    const { text } = await run(false);
    expect(text).toMatch(/NOTE {2}Docker is not running/);
    expect(text).toMatch(/NOTE {2}`sam` was not found: install the AWS SAM CLI\./);
  });
});
