import type { Engines } from './files.ts';

/** The port of an address, on this machine alone, to one of a container. */
const published = (url: string, port: number): string => `127.0.0.1:${new URL(url).port || 80}:${port}`;

/** The key with the alias that functions ask for. It seals secrets of a table that lives in memory. */
const keys = `Keys:
  Symmetric:
    Aes:
      - Metadata:
          KeyId: 00000000-0000-4000-8000-000000000001
        BackingKeys:
          - 0000000000000000000000000000000000000000000000000000000000000001
Aliases:
  - AliasName: alias/sensor-cloud
    TargetKeyId: 00000000-0000-4000-8000-000000000001
`;

/**
 * The engines that functions in containers need, for `docker compose` (2.23 or newer, which takes a file of JSON, and the
 * content of a file within it). Mails are left out: there is no small engine for them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
 */
export const composeFile = ({ table, queues, kms }: Engines) => ({
  name: 'sensor-cloud',
  services: {
    table: {
      image: 'amazon/dynamodb-local',
      command: ['-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb'],
      ports: [published(table, 8_000)],
    },
    queues: { image: 'softwaremill/elasticmq-native', ports: [published(queues, 9_324)] },
    keys: {
      image: 'nsmithuk/local-kms',
      ports: [published(kms, 8_080)],
      configs: [{ source: 'keys', target: '/init/seed.yaml' }],
    },
  },
  configs: { keys: { content: keys } },
});
