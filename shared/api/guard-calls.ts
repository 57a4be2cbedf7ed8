import type { StoreCall } from '../store/store.ts';
import { allowsDisplay, canOpenGaps, isAudited, type Operation } from './operation.ts';

/** The store calls `serve` makes around a handler, grouped by the check that needs them. */
const checks = {
  /** Counts requests for the rate limit. */
  rate: ['limits.countCall'],
  /** Finds the account for a token, and records that the token was used. */
  account: ['sessions.session', 'sessions.account', 'accessTokens.recordUse'],
  /** Extends the session of a display in use. */
  display: ['sessions.renew'],
  device: ['deviceTokens.use'],
  provisioner: ['provisioning.byHash'],
  /** Checks the CSRF token for a cookie session, and ends the session if the check fails. */
  csrf: ['sessions.session', 'sessions.account', 'sessions.end'],
  /** Finds the customer that owns the object in the path, for system admins. */
  owner: ['customers.ownerOf'],
  /** Records failed logins, and requests forbidden to a known caller. */
  refusal: ['refusals.record'],
  /** Records a change before it is made. */
  change: ['auditLines.put', 'auditLines.takeBack'],
  /** Before a change is made, records that it may open a gap in the watch. */
  watchedChange: ['watches.noteChange'],
} as const satisfies Record<string, readonly StoreCall[]>;

type Check = keyof typeof checks;
export type GuardCall = (typeof checks)[Check][number];

const identifying: Record<Operation['auth'], readonly Check[]> = {
  anyone: [],
  optional: ['account'],
  user: ['account'],
  session: ['account'],
  device: ['device'],
  provisioner: ['provisioner'],
};

/** Returns the store calls `serve` makes for an operation. They become function permissions. */
export const guardCallsOf = (operation: Operation): readonly GuardCall[] => {
  const { auth, method, csrfExempt, within } = operation;
  return [
    ...(['rate', ...identifying[auth]] as const).flatMap((check) => checks[check]),
    ...(allowsDisplay(operation) ? checks.display : []),
    ...(method === 'GET' || csrfExempt ? [] : checks.csrf),
    ...(within && within !== 'customer' ? checks.owner : []),
    ...(auth === 'user' || auth === 'session' ? checks.refusal : []),
    ...(isAudited(operation) ? checks.change : []),
    ...(canOpenGaps(operation) ? checks.watchedChange : []),
  ];
};
