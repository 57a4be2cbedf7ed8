import type { StoreCall } from '../store/store.ts';
import { isAudited, type Operation } from './operation.ts';

/** The calls of the store that `serve` makes before a handler runs, by the check that needs them. */
const checks = {
  /** Counts the calls of the caller. */
  rate: ['limits.countCall'],
  /** Finds the account of a token, and notes that the token was used. */
  account: ['sessions.session', 'sessions.account', 'accessTokens.noteUse'],
  device: ['devices.get'],
  provisioner: ['provisioning.byHash'],
  /** Checks the CSRF token of a cookie's session. A session ends when the check fails. */
  csrf: ['sessions.session', 'sessions.account', 'sessions.end'],
  /** Finds the customer of the object in the path, for system admins. */
  owner: ['customers.ownerOf'],
  /** Notes what a known caller had no right to, and logins. */
  refusal: ['auditLines.put'],
  /** Notes a change ahead of it. */
  change: ['auditLines.put', 'auditLines.takeBack'],
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

/** Gives the calls of the store that `serve` makes for an operation. They become rights of its function. */
export const guardCallsOf = (operation: Operation): readonly GuardCall[] => {
  const { auth, method, csrfExempt, within } = operation;
  return [
    ...(['rate', ...identifying[auth]] as const).flatMap((check) => checks[check]),
    ...(method === 'GET' || csrfExempt ? [] : checks.csrf),
    ...(within && within !== 'customer' ? checks.owner : []),
    ...(auth === 'user' || auth === 'session' ? checks.refusal : []),
    ...(isAudited(operation) ? checks.change : []),
  ];
};
