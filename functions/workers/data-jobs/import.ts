import { mailInvitation } from '#shared/api/invitations.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { IMPORT_DEADLINE, type ImportJob, type ImportStep } from '#shared/domain/import/import-job.ts';
import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import type { JobDeps } from './deps.ts';
import { type AuditedImport, audited, type Outcome } from './import-audit.ts';
import { lostRights } from './import-rights.ts';
import { linkSensor, renameSensor } from './import-sensors.ts';

/** How often (s) an import checks whether the previous import has ended. */
const TURN_SECONDS = 10;
/** How much time (ms) a run leaves for the step in progress. */
const MARGIN_MS = 15_000;
/** The number of problems kept per import. */
const MAX_PROBLEMS = 100;

type StepOf<D extends ImportStep['do']> = Extract<ImportStep, { do: D }>;

const changedSince = (field: string): Outcome => ({ field, problem: 'changed_since' });

const inviteUser = async (
  deps: JobDeps,
  { customerId }: AuditedImport,
  { user, accountKey }: StepOf<'create_user'>,
): Promise<Outcome> => {
  const { store, quotas, random, passwords } = deps;
  // No one knows this password. The user sets another one through the invitation link.
  const hash = await passwords.hash(Buffer.from(random(32)).toString('base64url'));
  const refusal = await store.users.create(user, accountKey, hash, quotas.users);
  const known = refusal && (await store.users.get(customerId, user.id));
  if (refusal && known?.accountKey !== accountKey) {
    if (refusal === 'limit_reached') return { field: 'username', problem: 'limit', values: { limit: quotas.users } };
    return refusal === 'username_taken' ? { field: 'username', problem: 'taken' } : changedSince('username');
  }
  await mailInvitation({ ...user, accountKey }, deps);
  return null;
};

const createUser = (deps: JobDeps, job: AuditedImport, step: StepOf<'create_user'>): Promise<Outcome> => {
  const { id, username, firstName, lastName, email, permissions } = step.user;
  const object = { kind: 'user', id: String(id) } as const;
  const after = { username, firstName, lastName, email, permissions };
  const change = { operation: 'createUser', object, before: null, after };
  return audited(deps, job, change, () => inviteUser(deps, job, step));
};

const updateUser = async (
  deps: JobDeps,
  job: AuditedImport,
  { id, profile, permissions }: StepOf<'update_user'>,
): Promise<Outcome> => {
  const { store, now } = deps;
  const { customerId } = job;
  const user = await store.users.get(customerId, id);
  // The address was checked, and an import may not change it.
  if (!user || (profile && profile.email !== user.email)) return changedSince('username');
  const { canLogin, isAdmin } = user;
  const change = (operation: string, after: object, set: () => Promise<boolean>) =>
    audited(deps, job, { operation, object: { kind: 'user', id: String(id) }, before: user, after }, async () =>
      (await set()) ? null : changedSince('username'),
    );
  const problem =
    profile && (await change('updateUser', profile, () => store.users.setProfile(user, profile, null, now())));
  if (problem || !permissions) return problem;
  return change('setUserAccess', { permissions }, () =>
    store.users.setAccess(user, { canLogin, isAdmin, permissions }, now()),
  );
};

/** Returns the group with the given name, or null if there is none or there are several. */
const groupNamed = async ({ store }: JobDeps, customerId: number, name: string): Promise<SensorGroup | null> => {
  const named = (await store.sensorGroups.list(customerId)).filter((group) => group.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
};

const createGroup = async (
  deps: JobDeps,
  job: AuditedImport,
  { id, name }: StepOf<'create_group'>,
): Promise<Outcome> => {
  const { store, quotas } = deps;
  const { customerId, createDate } = job;
  const group = { id, name, customerId, createDate, updateDate: createDate, sensorIds: [] };
  // Created since the import was checked, by a run that ended early or by another import of the same file.
  if ((await store.sensorGroups.list(customerId)).some((known) => known.id === id || known.name === name)) return null;
  const object = { kind: 'sensor_group', id: String(id) } as const;
  return audited(deps, job, { operation: 'createSensorGroup', object, before: null, after: { name } }, async () => {
    const result = await store.sensorGroups.create(group, quotas.sensorGroups);
    if (result === 'limit_reached') return { field: 'group', problem: 'limit', values: { limit: quotas.sensorGroups } };
    return result === 'done' ? null : changedSince('group');
  });
};

const joinGroup = async (
  deps: JobDeps,
  job: AuditedImport,
  { groupId, name, sensorIds }: StepOf<'join_group'>,
): Promise<Outcome> => {
  const { store, now } = deps;
  const { customerId } = job;
  const found = await store.sensorGroups.get(customerId, groupId);
  const group = found ?? (name === undefined ? null : await groupNamed(deps, customerId, name));
  if (!group) return changedSince('group');
  const present = await store.sensors.getAll(customerId, sensorIds);
  const members = [...new Set([...group.sensorIds, ...present.map(({ id }) => id)])].sort();
  const object = { kind: 'sensor_group', id: String(group.id) } as const;
  const change = { operation: 'updateSensorGroup', object, before: group, after: { sensorIds: members } };
  const problem = await audited(deps, job, change, async () => {
    const result = await store.sensorGroups.put({ ...group, sensorIds: members, updateDate: now() });
    return result === 'done' ? null : changedSince('group');
  });
  return present.length === sensorIds.length ? problem : changedSince('group');
};

const createRule = async (deps: JobDeps, job: AuditedImport, { rule }: StepOf<'create_rule'>): Promise<Outcome> => {
  const { store, quotas } = deps;
  const known = await store.rules.sortFields(job.customerId);
  // Already created, by a run that ended early or by another import of the same file.
  if (known.some(({ id, name }) => id === rule.id || name === rule.name)) return null;
  const object = { kind: 'rule', id: String(rule.id) } as const;
  return audited(deps, job, { operation: 'createRule', object, before: null, after: rule }, async () => {
    const result = await store.rules.create(rule, quotas);
    if (result === 'done') return null;
    return result === 'unknown_reference'
      ? changedSince('recipients')
      : { field: 'name', problem: 'limit', values: { limit: quotas[result] } };
  });
};

const updateRule = async (deps: JobDeps, job: AuditedImport, { rule }: StepOf<'update_rule'>): Promise<Outcome> => {
  const { store, quotas, now } = deps;
  const before = await store.rules.get(job.customerId, rule.id);
  if (!before) return changedSince('name');
  const after = { ...rule, updateDate: Math.max(now(), before.updateDate + 1) };
  const object = { kind: 'rule', id: String(rule.id) } as const;
  return audited(deps, job, { operation: 'updateRule', object, before, after }, async () => {
    const result = await store.rules.replace(before, after, quotas.rulesOfOneSituation);
    if (result === 'limit_reached')
      return { field: 'name', problem: 'limit', values: { limit: quotas.rulesOfOneSituation } };
    return result === 'done' ? null : changedSince('name');
  });
};

const makeStep = (deps: JobDeps, job: AuditedImport, step: ImportStep): Promise<Outcome> => {
  switch (step.do) {
    case 'create_user':
      return createUser(deps, job, step);
    case 'update_user':
      return updateUser(deps, job, step);
    case 'create_group':
      return createGroup(deps, job, step);
    case 'link_sensor':
      return linkSensor(deps, job, step);
    case 'rename_sensor':
      return renameSensor(deps, job, step);
    case 'join_group':
      return joinGroup(deps, job, step);
    case 'create_rule':
      return createRule(deps, job, step);
    case 'update_rule':
      return updateRule(deps, job, step);
  }
};

/**
 * Applies the remaining import steps, as far as time permits. After a crash, at most the last step is repeated. A
 * customer's imports run one after the other, so importing the same file twice does not create duplicates.
 */
export const runImport = async (
  deps: JobDeps,
  { customerId, id }: Pick<ImportJob, 'customerId' | 'id'>,
  until: { retry: number; timeLeft: () => number },
): Promise<void> => {
  const { store, enqueue, now, failpoint } = deps;
  const job = await store.imports.get({ customerId, id });
  if (job?.state !== 'running') return;
  if (now() > job.createDate + IMPORT_DEADLINE) return store.imports.end(job, 'failed', now());
  await store.imports.schedule(job, until.retry);
  if (!(await store.imports.takeTurn(job, now(), until.retry)))
    return enqueue([runJobTask({ customerId, kind: 'import', id })], { delaySeconds: TURN_SECONDS });
  const { steps, address } = await store.imports.steps(job);
  const problems = [...job.problems];
  for (const [at, step] of steps.entries()) {
    if (at < job.done) continue;
    if (until.timeLeft() < MARGIN_MS) {
      await store.imports.schedule(job, now());
      return enqueue([runJobTask({ customerId, kind: 'import', id })]);
    }
    const problem = (await lostRights(deps, job, step)) ?? (await makeStep(deps, { ...job, address }, step));
    if (problem && problems.length < MAX_PROBLEMS) problems.push({ row: step.row, ...problem });
    failpoint('import.applied');
    await store.imports.record(job, at + 1, problems, now());
  }
  // The changes were made after the request recorded in the audit log.
  await store.watches.noteChange(customerId, now());
  await store.imports.end(job, problems.length > 0 ? 'failed' : 'completed', now());
};
