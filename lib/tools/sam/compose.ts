import { KEY_ALIAS } from '#lib/local/lambda/cipher.ts';

/** The network that the engines and the functions are in: there the names of the engines are their hosts. */
export const NETWORK = 'sensor-cloud';
const ports = { table: 8_000, queues: 9_324, keys: 8_080 } as const;
type Engine = keyof typeof ports;
export const urlOf = (engine: Engine): string => `http://${engine}:${ports[engine]}`;

/** The port of an engine on this machine, which others cannot reach. */
const published = (engine: Engine): string[] => [`127.0.0.1:${ports[engine]}:${ports[engine]}`];
/** Converts the address of an engine from that in a container to that on this machine. */
export const fromHere = (url: string): string => {
  const hosts = ['host.docker.internal', ...Object.keys(ports)];
  return hosts.includes(new URL(url).hostname) ? url.replace(new URL(url).hostname, '127.0.0.1') : url;
};

/** The key with the alias that functions ask for. It seals secrets of a table that lives in memory. */
const keys = `Keys:
  Symmetric:
    Aes:
      - Metadata:
          KeyId: 00000000-0000-4000-8000-000000000001
        BackingKeys:
          - 0000000000000000000000000000000000000000000000000000000000000001
Aliases:
  - AliasName: ${KEY_ALIAS}
    TargetKeyId: 00000000-0000-4000-8000-000000000001
`;

/**
 * The engines that functions in containers need, for `docker compose` (2.23 or newer, which takes a file of JSON, and the
 * content of a file within it). Mails are left out: there is no small engine for them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
 */
export const composeFile = {
  name: 'sensor-cloud',
  services: {
    table: {
      image: 'amazon/dynamodb-local',
      command: ['-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb'],
      ports: published('table'),
    },
    queues: { image: 'softwaremill/elasticmq-native', ports: published('queues') },
    keys: {
      image: 'nsmithuk/local-kms',
      ports: published('keys'),
      configs: [{ source: 'keys', target: '/init/seed.yaml' }],
    },
  },
  configs: { keys: { content: keys } },
  networks: { default: { name: NETWORK } },
};
