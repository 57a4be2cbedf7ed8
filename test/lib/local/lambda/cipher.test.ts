import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { clientConfig } from '#lib/local/table/endpoint.ts';
import { environmentFile } from '#lib/tools/sam/files.ts';
import { kmsCipher } from '#shared/auth/kms.ts';
import { aesCipher, createVault } from '#shared/auth/vault.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const none = { table: '', queues: '', kms: '', mail: '', url: '' };
const ALIAS = environmentFile(none).Parameters.SECRETS_KEY_ARN ?? '';

type Asked = { KeyId: string; Plaintext: string; CiphertextBlob: string; EncryptionContext: { id: string } };
/** A KMS with the key that functions use. https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html */
const { encrypt, decrypt } = aesCipher(Buffer.alloc(32, 7), (bytes) => Buffer.alloc(bytes, 1));
let kms: Server;
beforeAll(async () => {
  kms = createServer(async (request, response) => {
    const { KeyId, Plaintext, CiphertextBlob, EncryptionContext } = JSON.parse(await text(request)) as Asked;
    const isEncrypt = request.headers['x-amz-target'] === 'TrentService.Encrypt';
    const { id } = EncryptionContext;
    const bytes = Buffer.from(isEncrypt ? Plaintext : CiphertextBlob, 'base64');
    const result = Buffer.from(await (isEncrypt ? encrypt : decrypt)(bytes, id)).toString('base64');
    const body = isEncrypt ? { KeyId, CiphertextBlob: result } : { KeyId, Plaintext: result };
    response.writeHead(KeyId === ALIAS ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(kms, 'listening');
});
afterAll(async () => {
  kms.close();
  await once(kms, 'close');
});

test("the host and functions with the same KMS key decrypt each other's secrets", async () => {
  const keyEndpoint = `http://127.0.0.1:${(kms.address() as AddressInfo).port}`;
  const [cloud, receiver] = await Promise.all([startTestCloud({ keyEndpoint }), startReceiver()]);
  try {
    const functions = createVault(kmsCipher(clientConfig(keyEndpoint), ALIAS));
    const here = await cloud.runtime.vault();
    expect(await here.open(await functions.seal('a secret', 'w'), 'w')).toBe('a secret');
    expect(await functions.open(await here.seal('another', 'w'), 'w')).toBe('another');
    const { client } = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
    const { sensorId, device } = await linkSensor(client);
    const { webhook } = await createAlarm(client, receiver.url);
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
    const [delivery] = await receiver.until(1);
    expect(delivery?.headers.authorization).toBe(`Bearer ${webhook.token}`);
  } finally {
    await Promise.all([cloud.stop(), receiver.stop()]);
  }
});
