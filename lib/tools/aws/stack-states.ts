import type { StackStatus } from '@aws-sdk/client-cloudformation';

/**
 * A stack's situation, which decides what `deploy` and `destroy` do with it.
 * - `missing`: it does not exist, or has no resource yet, so it can be created.
 * - `changing`: CloudFormation is changing it, so it will reach another state.
 * - `running`: it can be updated.
 * - `never ran`: its first deployment failed. It can only be deleted.
 * - `half deleted`: its deletion failed. It can only be deleted again.
 * - `half updated`: an update failed and was not rolled back. It has to be rolled back first.
 * - `stuck`: no command in this project causes or can resolve this state.
 */
export type Situation = 'missing' | 'changing' | 'running' | 'never ran' | 'half deleted' | 'half updated' | 'stuck';

/**
 * The situation in each state.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html#cfn-console-view-stack-data-resources-status-codes
 */
const situations: Readonly<Record<StackStatus, Situation>> = {
  REVIEW_IN_PROGRESS: 'missing',
  CREATE_IN_PROGRESS: 'changing',
  CREATE_COMPLETE: 'running',
  CREATE_FAILED: 'never ran',
  ROLLBACK_IN_PROGRESS: 'changing',
  ROLLBACK_COMPLETE: 'never ran',
  ROLLBACK_FAILED: 'never ran',
  UPDATE_IN_PROGRESS: 'changing',
  UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: 'changing',
  UPDATE_COMPLETE: 'running',
  UPDATE_FAILED: 'half updated',
  UPDATE_ROLLBACK_IN_PROGRESS: 'changing',
  UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS: 'changing',
  UPDATE_ROLLBACK_COMPLETE: 'running',
  UPDATE_ROLLBACK_FAILED: 'half updated',
  DELETE_IN_PROGRESS: 'changing',
  DELETE_COMPLETE: 'missing',
  DELETE_FAILED: 'half deleted',
  IMPORT_IN_PROGRESS: 'changing',
  IMPORT_COMPLETE: 'running',
  IMPORT_ROLLBACK_IN_PROGRESS: 'changing',
  IMPORT_ROLLBACK_COMPLETE: 'running',
  IMPORT_ROLLBACK_FAILED: 'stuck',
};

/** Returns a stack's situation. A state that AWS adds later is `stuck`. */
export const situationOf = (state: { status: string } | null): Situation =>
  state === null ? 'missing' : (situations[state.status as StackStatus] ?? 'stuck');
