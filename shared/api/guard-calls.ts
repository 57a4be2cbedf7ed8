import type { StoreCall } from '../store/access-pattern.ts';
import type { Operation } from './operation.ts';

/** The calls of the store that `serve` itself makes before a handler runs, by what they find out. */
const checks = {
  /** How often does this caller call? */
  rate: ['limits.countCall'],
  /** Whose token is it? Its use is noted. */
  account: ['sessions.session', 'sessions.account', 'accessTokens.noteUse'],
  device: ['sensors.deviceOf'],
  provisioner: ['provisioning.byHash'],
  /** Does the session of a cookie know of this change? One under attack ends. */
  csrf: ['sessions.session', 'sessions.account', 'sessions.end'],
  /** Whose is the object of the path? For system admins. */
  home: ['customers.ownerOf'],
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

/** The calls of the store that `serve` itself makes for an operation: they are rights of its function. */
export const guardCallsOf = ({ auth, method, csrfExempt, within }: Operation): readonly GuardCall[] => [
  ...(['rate', ...identifying[auth]] as const).flatMap((check) => checks[check]),
  ...(method === 'GET' || csrfExempt ? [] : checks.csrf),
  ...(within && within !== 'customer' ? checks.home : []),
];
