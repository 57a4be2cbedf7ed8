import type * as z from 'zod';
import type { Actor } from '../identity/audit.ts';
import type { Permission } from '../identity/permission.ts';
import type { User, UserProfile } from '../identity/user.ts';
import type { FieldError, Problem } from '../problem.ts';
import type { Rule } from '../rule/rule.ts';
import type { Import, ImportKind } from './import-view.ts';

/** A problem in one column of a row. */
export type RowProblem = { row: number; field: string; problem: Problem; values?: FieldError['values'] };

/** An import step. Repeating it has no effect. Problems with the step are reported for `row`. */
export type ImportStep =
  | { do: 'create_user'; row: number; user: User; accountKey: string }
  | { do: 'update_user'; row: number; id: number; profile: UserProfile | null; permissions: Permission[] | null }
  | { do: 'create_group'; row: number; id: number; name: string }
  | { do: 'link_sensor'; row: number; sensorId: string }
  | { do: 'rename_sensor'; row: number; sensorId: string; name: string }
  /** `name`: the name if the group is new. Another import may already have created a group with that name. */
  | { do: 'join_group'; row: number; groupId: number; name?: string; sensorIds: string[] }
  | { do: 'create_rule'; row: number; rule: Rule }
  | { do: 'update_rule'; row: number; rule: Rule };

/** An import as stored. `done`: the number of completed steps. */
export type ImportJob = Omit<z.output<typeof Import>, 'kind' | 'errors'> & {
  customerId: number;
  imported: ImportKind;
  actor: Actor;
  done: number;
  problems: RowProblem[];
};

/** The permission required by an import. */
export const importPermissions: Readonly<Record<ImportKind, Permission>> = {
  users: 'manage_users',
  sensors: 'manage_sensors',
  rules: 'manage_rules',
};

/** How long (ms) an import is retried before it fails. */
export const IMPORT_DEADLINE = 6 * 3_600_000;
