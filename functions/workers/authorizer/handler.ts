import { hashSecret, parseToken } from '#shared/auth/tokens.ts';
import { onCall } from '#shared/worker/on-host.ts';
import { authorizer, ConnectEvent } from './contract.ts';
import { allowDevice, denied } from './policy.ts';

export const handler = onCall(authorizer, ({ store, rule, now }) => async (event: unknown, { invokedFunctionArn }) => {
  const { data } = ConnectEvent.safeParse(event);
  if (!data || rule === '') return denied;
  const { username, password } = data.protocolData.mqtt;
  const token = Buffer.from(password, 'base64').toString();
  const device = parseToken(token)?.kind === 'device' ? await store.deviceTokens.use(hashSecret(token), now()) : null;
  // AWS client libraries append their name to the user name as a query string.
  const isOwn = device?.sensorId === username.split('?')[0];
  if (!device || !isOwn) return denied;
  const { id } = data.connectionMetadata ?? {};
  // The last will from the previous connection is compared with this id (workers/ingest).
  if (id !== undefined && id !== device.connectionId) await store.devices.noteConnection(device.hash, id, now());
  return allowDevice(device, rule, invokedFunctionArn);
});
