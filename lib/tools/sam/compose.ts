import { KEY_ALIAS } from '#lib/local/lambda/cipher.ts';

/** The Docker network for engines and functions, in which each engine's name is also the host name. */
export const DOCKER_NETWORK = 'sensor-cloud';
const ports = { table: 8_000, queues: 9_324, keys: 8_080 } as const;
type Engine = keyof typeof ports;
export const engineUrl = (engine: Engine): string => `http://${engine}:${ports[engine]}`;

/** Returns an engine's port mapping, on the loopback interface only. */
const published = (engine: Engine): string[] => [`127.0.0.1:${ports[engine]}:${ports[engine]}`];

/** Converts an engine's address inside a container to the address on this machine. */
export const toHostUrl = (url: string): string => {
  const hosts = ['host.docker.internal', ...Object.keys(ports)];
  return hosts.includes(new URL(url).hostname) ? url.replace(new URL(url).hostname, '127.0.0.1') : url;
};

/** The key with the alias used by functions. It only encrypts secrets in an in-memory table. */
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
 * The engines needed by functions in containers, for `docker compose` 2.23 or newer, which accepts JSON and inline file
 * contents. Email is left out, because there is no small engine for it.
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
  networks: { default: { name: DOCKER_NETWORK } },
};
