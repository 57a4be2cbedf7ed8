import { nameAtEndpoint } from '#lib/local/consumers/sqs.ts';
import { KEY_ALIAS } from '#lib/local/lambda/cipher.ts';
import { isFifo, type QueueName, queueNames } from '#shared/queue/names.ts';
import type { Resource, Template } from '../aws/template.ts';
import { toHostUrl } from './compose.ts';

/** The engine addresses as seen from a container. `url` is the API's address. */
export type Engines = { table: string; queues: string; kms: string; mail: string; url: string };

/** The account id used by local engines. */
const NO_ACCOUNT = '000000000000';

const queueVariable = (name: QueueName): string => `${name.toUpperCase()}_QUEUE_URL`;

/** Returns the file content for `--env-vars`: values for all functions with these variables. */
export const environmentFile = ({ table, queues, kms, mail, url }: Engines) => {
  const queueUrls = queueNames.map((name) => [
    queueVariable(name),
    `${queues}/${NO_ACCOUNT}/${nameAtEndpoint(name, isFifo(name))}`,
  ]);
  const own = { PUBLIC_URL: url, DEVICE_URL: url, OWN_URLS: url };
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: table,
    AWS_ENDPOINT_URL_SQS: queues,
    AWS_ENDPOINT_URL_KMS: kms,
    AWS_ENDPOINT_URL_SESV2: mail,
  };
  // There is no engine for exports.
  const names = { TABLE_NAME: 'sensor-cloud', EXPORTS_BUCKET: 'exports', SECRETS_KEY_ARN: KEY_ALIAS };
  return { Parameters: { ...names, ...Object.fromEntries(queueUrls), ...own, ...endpoints } as Record<string, string> };
};

/** Returns the `npm start` variables for the same engines, with addresses on this machine. */
export const hostVariables = ({ table, queues, kms, url }: Engines): Record<string, string> => ({
  AWS_ENDPOINT_URL_DYNAMODB: toHostUrl(table),
  AWS_ENDPOINT_URL_SQS: toHostUrl(queues),
  AWS_ENDPOINT_URL_KMS: toHostUrl(kms),
  PUBLIC_URL: url,
  DEMO: 'false',
});

const forHost = (resource: Resource, architecture: string): Resource =>
  resource.Type === 'AWS::Lambda::Function'
    ? { ...resource, Properties: { ...resource.Properties, Architectures: [architecture] } }
    : resource;

/**
 * Returns the synthesized template for `sam local`, with this machine's architecture (as named by Node), so Docker does
 * not emulate another one. The template metadata has the paths to the code, relative to the template.
 */
export const samTemplate = ({ Resources = {}, ...template }: Template, arch: string): Template => ({
  ...template,
  Resources: Object.fromEntries(
    Object.entries(Resources).map(([id, resource]) => [id, forHost(resource, arch === 'arm64' ? 'arm64' : 'x86_64')]),
  ),
});
