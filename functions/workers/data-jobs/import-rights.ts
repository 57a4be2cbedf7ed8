import {
  hasPermission,
  mayChangeProfile,
  mayChangeRights,
  type Permission,
} from '#shared/domain/identity/permission.ts';
import type { User } from '#shared/domain/identity/user.ts';
import { type ImportJob, type ImportStep, importPermissions } from '#shared/domain/import/import-job.ts';
import type { JobDeps } from './deps.ts';
import type { Outcome } from './import-audit.ts';

/** The column used to report missing rights. */
const columns = { users: 'username', sensors: 'hardwareId', rules: 'name' } as const;

/**
 * Returns the user who began an import. Null if the user was deleted, or may no longer log in or change this customer.
 */
const importerOf = async ({ store }: JobDeps, { actor, customerId }: ImportJob): Promise<User | null> => {
  const userId = Number(actor.id);
  const home = await store.customers.ownerOf('user', userId);
  const user = home === null ? null : await store.users.get(home, userId);
  return user?.canLogin && (user.isAdmin || home === customerId) ? user : null;
};

/** Returns the permissions the importer lacks to change a user. */
const lackedForUser = (
  importer: User,
  known: User | null,
  { profile, permissions }: Extract<ImportStep, { do: 'update_user' }>,
): string[] => {
  // The step itself reports missing users.
  if (!known) return [];
  const caller = { ...importer, accountId: importer.id, kind: 'session' } as const;
  const added = (permissions ?? []).filter((one) => !known.permissions.includes(one));
  const isRefused = (permissions && !mayChangeRights(caller, known)) || (profile && !mayChangeProfile(caller, known));
  const lacked = added.filter((one) => !hasPermission(importer, one));
  return isRefused && lacked.length === 0 ? ['isAdmin'] : lacked;
};

/** Returns the permissions the importer lacks for a step, in addition to the permission for the import. */
const lackedFor = async ({ store }: JobDeps, job: ImportJob, step: ImportStep, importer: User): Promise<string[]> => {
  const lacked = (...permissions: Permission[]) => permissions.filter((one) => !hasPermission(importer, one));
  switch (step.do) {
    case 'create_user':
      return lacked(...step.user.permissions);
    case 'update_user':
      return lackedForUser(importer, await store.users.get(job.customerId, step.id), step);
    case 'rename_sensor':
      return lacked('edit_sensor_config');
    case 'link_sensor':
      return importer.isAdmin ? [] : ['isAdmin'];
    default:
      return [];
  }
};

/**
 * Returns a problem listing the rights the importer no longer has for a step, or null if the step may be applied. The
 * rights were checked when the import began, but may have been withdrawn since.
 */
export const lostRights = async (deps: JobDeps, job: ImportJob, step: ImportStep): Promise<Outcome> => {
  const required = importPermissions[job.imported];
  const importer = await importerOf(deps, job);
  const isAllowed = importer !== null && hasPermission(importer, required);
  const lacked = isAllowed ? await lackedFor(deps, job, step, importer) : [required];
  if (lacked.length === 0) return null;
  return { field: columns[job.imported], problem: 'not_held', values: { choices: lacked.join(', ') } };
};
