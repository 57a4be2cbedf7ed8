import { REQUEST_MS } from '#shared/domain/identity/data-job.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { store } from '#shared/store/store.ts';
import { OWN_PASSWORD } from '../fixtures/client.ts';
import type { Example } from './examples.ts';
import type { World } from './world.ts';

let last = 0;
const names = { firstName: 'A', lastName: 'B', email: '', password: 'a-password-of-no-interest' };

/** A job for a new user at our customer. */
const aboutNewUser = async ({ ours }: World): Promise<Example> => {
  const { id } = await ours.client.ok<{ id: number }>('POST', '/users', { username: `subject ${++last}`, ...names });
  return { body: { subject: { kind: 'user', id }, reason: 'asked for it', password: OWN_PASSWORD } };
};
/** A requested erasure for our customer. */
const requestedErasure = async ({ ours, cloud }: World): Promise<Example> => {
  const { table, now, random } = cloud.runtime;
  const { customerId } = ours;
  const createDate = now();
  const job = {
    id: randomUlid(createDate, random),
    kind: 'erasure',
    customerId,
    state: 'requested',
    createDate,
    updateDate: createDate,
    begins: createDate + REQUEST_MS,
    subject: { kind: 'customer', id: customerId },
    reason: 'asked for it',
    actor: { kind: 'user', id: '987654321', name: 'somebody else' },
    counts: {},
    remains: [],
  } as const;
  await store(table).dataJobs.create({ ...job, remains: [] });
  return { params: { erasureId: job.id } };
};
const importedRule = () => ({
  name: `imported ${++last}`,
  title: 't',
  message: 'm',
  situation: 'fall_detected',
  recipients: 'onDuty:email',
});
const nothing = (): Example => ({});

/** Examples for personal data operations. */
export const dataExamples: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  createExport: aboutNewUser,
  listExports: nothing,
  getExport: nothing,
  createErasure: aboutNewUser,
  listErasures: nothing,
  getErasure: nothing,
  approveErasure: requestedErasure,
  cancelErasure: requestedErasure,
  createImport: () => ({ query: { kind: 'rules' }, body: [importedRule()] }),
  getImport: nothing,
};

/** Creates an export and an erasure for a new user in a home. */
export const createJobs = async ({
  customerId,
  client,
  password,
}: Pick<World['ours'], 'customerId' | 'client' | 'password'>) => {
  const { id } = await client.ok<{ id: number }>('POST', '/users', { username: `subject ${++last}`, ...names });
  const body = { subject: { kind: 'user', id }, reason: 'asked for it', password };
  const at = `/customers/${customerId}`;
  const { id: exportId } = await client.ok<{ id: string }>('POST', `${at}/exports`, body);
  const { id: erasureId } = await client.ok<{ id: string }>('POST', `${at}/erasures`, body);
  const { id: importId } = await client.ok<{ id: string }>('POST', `${at}/imports?kind=rules`, [importedRule()]);
  return { exportId, erasureId, importId };
};
