import { isFifo, type QueueName, queueNames } from '../../../shared/capabilities.ts';
import { nameAtEndpoint } from '../../local/sqs.ts';
import type { Resource, Template } from '../aws/template.ts';

/** Where functions in a container find the engines of this machine, and where callers find the functions. */
export type Engines = { table: string; queues: string; kms: string; mail: string; url: string };

/** What engines that need no account call it. */
const NO_ACCOUNT = '000000000000';

const queueVariable = (name: QueueName): string => `${name.toUpperCase()}_QUEUE_URL`;

/** The file for `--env-vars`: values for every function that has such a variable. */
export const environmentFile = ({ table, queues, kms, mail, url }: Engines) => {
  const queueUrls = queueNames.map((name) => [
    queueVariable(name),
    `${queues}/${NO_ACCOUNT}/${nameAtEndpoint(name, isFifo(name))}`,
  ]);
  const own = { PUBLIC_URL: url, DEVICE_URL: url, OWN_URLS: url };
  const endpoints = {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: table, AWS_ENDPOINT_URL_SQS: queues },
    ...{ AWS_ENDPOINT_URL_KMS: kms, AWS_ENDPOINT_URL_SESV2: mail },
  };
  const names = { TABLE_NAME: 'sensor-cloud', SECRETS_KEY_ARN: 'alias/sensor-cloud' };
  return { Parameters: { ...names, ...Object.fromEntries(queueUrls), ...own, ...endpoints } as Record<string, string> };
};

const forHost = (resource: Resource, architecture: string): Resource =>
  resource.Type === 'AWS::Lambda::Function'
    ? { ...resource, Properties: { ...resource.Properties, Architectures: [architecture] } }
    : resource;

/**
 * The synthesised template for `sam local`: as it is, but for the processor of this machine (as Node names it), so that
 * docker has nothing to emulate. Where the code is, its metadata says, from the folder that it is in.
 */
export const samTemplate = ({ Resources = {}, ...template }: Template, arch: string): Template => ({
  ...template,
  Resources: Object.fromEntries(
    Object.entries(Resources).map(([id, one]) => [id, forHost(one, arch === 'arm64' ? 'arm64' : 'x86_64')]),
  ),
});
