import { checkCells } from '#shared/api/check-cells.ts';
import { newAccountKey } from '#shared/auth/tokens.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import {
  hasPermission,
  mayChangeProfile,
  mayChangeRights,
  type Permission,
} from '#shared/domain/identity/permission.ts';
import { INVITATIONS_PER_DAY, NewUser, type User } from '#shared/domain/identity/user.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { ImportStep, RowProblem } from '#shared/domain/import/import-job.ts';
import { createOnce, type ImportPlan, type Planning, problemsOf } from './plan.ts';
import { convertCells, toList } from './rows.ts';

const same = (cell: unknown) => cell;
const columns = {
  username: same,
  firstName: same,
  lastName: same,
  email: same,
  locale: same,
  telegramId: same,
  mobileNumber: same,
  permissions: toList,
};

const ImportedUser = NewUser.omit({ customerId: true, password: true, invite: true, canLogin: true });
type Imported = ReturnType<typeof ImportedUser.parse>;

const profileFields = ['firstName', 'lastName', 'email', 'locale', 'telegramId', 'mobileNumber'] as const;
const profileOf = ({ firstName, lastName, email, locale, telegramId, mobileNumber }: Imported | User) => ({
  firstName,
  lastName,
  email,
  locale,
  telegramId,
  mobileNumber,
});

/** An acceptable row, with the user it changes. */
type Accepted = { row: number; given: Imported; known: User | undefined };

const isSameSet = (a: readonly Permission[], b: readonly Permission[]): boolean =>
  a.every((one) => b.includes(one)) && b.every((one) => a.includes(one));

/**
 * Returns the permissions the caller lacks to apply a row. To change another user's permissions, the caller also needs
 * every permission the user has now.
 */
const lacking = ({ caller }: Planning['call'], given: Imported, known: User | undefined): string[] => {
  const before: readonly Permission[] = known?.permissions ?? [];
  if (isSameSet(given.permissions, before)) return [];
  const missing = given.permissions.filter((one) => !before.includes(one) && !hasPermission(caller, one));
  if (!known || mayChangeRights(caller, known)) return missing;
  const held = known.permissions.filter((one) => !hasPermission(caller, one));
  return [...missing, ...held, ...(known.isAdmin ? ['isAdmin'] : [])];
};

const checkUser = ({ call, deps }: Planning, { row, given, known }: Accepted): RowProblem[] => {
  const { problems, add } = problemsOf(row);
  if (!known && given.email === '') add('email', 'required');
  if (!known && !deps.settings.CHANNEL_KINDS.includes('email')) add('email', 'needs_mail');
  if (known && given.email !== known.email) add('email', 'email_kept');
  const missing = lacking(call, given, known);
  if (missing.length > 0) add('permissions', 'not_held', { choices: [...new Set(missing)].join(', ') });
  if (known && !mayChangeProfile(call.caller, known))
    for (const field of profileFields)
      if (field !== 'email' && given[field] !== known[field]) add(field, 'not_held', { choices: 'isAdmin' });
  return problems;
};

const isChanged = ({ given, known }: Accepted): { profile: boolean; permissions: boolean } => ({
  profile: profileFields.some((field) => known && given[field] !== known[field]),
  permissions: !isSameSet(given.permissions, known?.permissions ?? []),
});

const updateOf = (accepted: Accepted): ImportStep[] => {
  const { row, given, known } = accepted;
  const { profile, permissions } = isChanged(accepted);
  if (!known || !(profile || permissions)) return [];
  return [
    {
      do: 'update_user',
      row,
      id: known.id,
      profile: profile ? profileOf(given) : null,
      permissions: permissions ? [...new Set(given.permissions)] : null,
    },
  ];
};

const creationOf = async (
  { call: { customerId }, deps: { store, now, random } }: Planning,
  { row, given }: Accepted,
): Promise<ImportStep> => {
  const time = now();
  const user: User = {
    ...profileOf(given),
    username: given.username,
    permissions: [...new Set(given.permissions)],
    id: await store.limits.nextNumber('accounts'),
    createDate: time,
    updateDate: time,
    customerId,
    profileImageId: randomUuid(random),
    canLogin: true,
    isAdmin: false,
  };
  return { do: 'create_user', row, user, accountKey: newAccountKey(random) };
};

const newUser = { firstName: '', lastName: '' };
/** Checks each row on its own. Returns the acceptable rows, and the problems in the others. */
const acceptRows = async (
  planning: Planning,
): Promise<{ accepted: Accepted[]; problems: RowProblem[]; all: User[] }> => {
  const { call, deps, rows } = planning;
  const all: User[] = await deps.store.users.list(call.customerId);
  const byName = new Map(all.map((user) => [usernameKey(user.username), user]));
  const once = createOnce();
  const accepted: Accepted[] = [];
  const problems: RowProblem[] = [];
  for (const { row, cells } of rows) {
    const key = usernameKey(String(cells.username ?? ''));
    const known = byName.get(key);
    const given = {
      ...newUser,
      ...(known && { ...profileOf(known), permissions: known.permissions }),
      ...convertCells(cells, columns),
    };
    const checked = checkCells(row, ImportedUser, given);
    const first = cells.username === undefined ? null : once(key, row);
    if (first !== null) problems.push({ row, field: 'username', problem: 'duplicate_row', values: { row: first } });
    if ('problems' in checked) problems.push(...checked.problems);
    else if (first === null) accepted.push({ row, given: checked.value, known });
  }
  return { accepted, problems, all };
};

/** Plans which users to invite and which to change. */
export const planUsers = async (planning: Planning): Promise<ImportPlan> => {
  const { deps } = planning;
  const { accepted, problems, all } = await acceptRows(planning);
  for (const user of accepted) problems.push(...checkUser(planning, user));
  const created = accepted.filter(({ known }) => !known);
  await inBatches(created, async ({ row, given }) => {
    if ((await deps.store.sessions.accountKeyOf(usernameKey(given.username))) !== null)
      problems.push({ row, field: 'username', problem: 'taken' });
  });
  const updates = accepted.flatMap(updateOf);
  const { users: most } = deps.quotas;
  const isFull = created.length > 0 && all.length + created.length > most;
  const limit = isFull ? ({ of: 'users', most } as const) : null;
  const invitations = { of: 'invitations', most: INVITATIONS_PER_DAY } as const;
  return {
    created: created.length,
    updated: updates.length,
    problems,
    limit: limit ?? (created.length > INVITATIONS_PER_DAY ? invitations : null),
    steps: async () => {
      const creations: ImportStep[] = [];
      for (const user of created) creations.push(await creationOf(planning, user));
      return [...creations, ...updates];
    },
  };
};
