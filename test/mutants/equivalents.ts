import { workerEquivalents } from './worker-equivalents.ts';

/**
 * A mutant that no test can notice, because the program behaves the same: the trimmed line of source, what it becomes in the
 * words of Stryker, and why that makes no difference.
 */
export type Equivalent = { file: string; line: string; mutant: string; why: string };

const unstored = 'a field that is undefined is not stored, and counts as missing';
const order = 'only the order of the ranks counts';
const epoch = 'no time is within the first milliseconds of 1970';
const anonymous = 'undefined and null both mean that the caller is not known';
const noToken = 'no token has this text';
const noCall = 'without keys nothing is read anyway';
const unreachable = 'the default is never used: ';

export const equivalents: readonly Equivalent[] = [
  ...workerEquivalents,
  {
    file: 'shared/domain/state/falls.ts',
    line: '...(endedByTime !== undefined && {',
    mutant: 'ConditionalExpression: true',
    why: unstored,
  },
  {
    file: 'shared/domain/state/falls.ts',
    line: '...(isSimulated && { isSimulated }),',
    mutant: 'ConditionalExpression: true',
    why: unstored,
  },
  {
    file: 'shared/domain/state/falls.ts',
    line: 'return isAlarmPending(fall) ? 2 : 1;',
    mutant: 'NumericLiteral: 3',
    why: order,
  },
  {
    file: 'shared/domain/state/falls.ts',
    line: 'const reportedAt = open.phaseDates?.[phase] ?? open.at ?? 0;',
    mutant: 'NumericLiteral: 1',
    why: `${unreachable}an open fall has the time of its last change`,
  },
  {
    file: 'shared/domain/state/falls.ts',
    line: 'const isKnown = known?.phases.includes(phase) ?? false;',
    mutant: 'BooleanLiteral: true',
    why: 'a report of an unknown fall is never late, so what follows does not depend on it',
  },
  {
    file: 'shared/domain/state/due-move.ts',
    line: 'const { phases, at = 0 } = fall;',
    mutant: 'NumericLiteral: 1',
    why: `${unreachable}an open fall has the time of its last change`,
  },
  {
    file: 'shared/domain/state/loop.ts',
    line: 'const recent = starts.filter((start) => start >= (starts.at(-1) ?? 0) - LOOP_WINDOW);',
    mutant: 'NumericLiteral: 1',
    why: `${unreachable}the list has at least the new start`,
  },
  {
    file: 'shared/domain/state/tracks.ts',
    line: 'if (track.fallPostures) return 2;',
    mutant: 'NumericLiteral: 3',
    why: order,
  },
  {
    file: 'shared/domain/state/tracks.ts',
    line: 'return [{ id, at, ...(alarmedUpTo !== undefined && { alarmedUpTo }) }];',
    mutant: 'ConditionalExpression: true',
    why: unstored,
  },
  {
    file: 'shared/domain/state/set-back.ts',
    line: 'return later.length === 0',
    mutant: 'ConditionalExpression: false',
    why: 'without a later time the copy is equal; the condition only saves it',
  },
  {
    file: 'shared/domain/state/understanding.ts',
    line: 'const days = Math.min(30, Math.max(0, Math.floor((at - before.since) / DAY)));',
    mutant: 'NumericLiteral: 31',
    why: 'both shift any count to 0; the limit only prevents a shift by 32, which does nothing',
  },
  {
    file: 'shared/domain/people/shifts.ts',
    line: 'known.set(key, times);',
    mutant: 'CallExpression: ;',
    why: 'it only saves computing the times again',
  },
  {
    file: 'shared/domain/people/duty.ts',
    line: 'const ended = plan.own.filter(({ offSince = 0 }) => !isFuture(offSince, time));',
    mutant: 'NumericLiteral: 1',
    why: epoch,
  },
  {
    file: 'shared/domain/people/duty.ts',
    line: 'return shiftsOn(days, plan).filter(({ userId, start }) => start > (offSince.get(userId) ?? 0));',
    mutant: 'NumericLiteral: 1',
    why: epoch,
  },
  {
    file: 'shared/domain/people/duty.ts',
    line: "const bySelf = plan.own.map(({ userId, until = 0 }): OnDuty => ({ userId, until, source: 'self' }));",
    mutant: 'NumericLiteral: 1',
    why: epoch,
  },
  {
    file: 'shared/domain/people/duty.ts',
    line: 'if (duty.until > Math.max(time, longest.get(duty.userId)?.until ?? 0)) longest.set(duty.userId, duty);',
    mutant: 'NumericLiteral: 1',
    why: epoch,
  },
  {
    file: 'shared/domain/rule/rule-conditions.ts',
    line: 'const fresh = rules.map((ruleId) => [ruleId, Math.max(createDate, fired[ruleId] ?? 0)]);',
    file: 'shared/api/middleware/authenticate.ts',
    line: "if (kind === 'token' && (lastUsed ?? 0) <= before) await store.accessTokens.recordUse(hash, before, now());",
    mutant: 'NumericLiteral: 1',
    why: epoch,
  },
  {
    file: 'shared/domain/rule/rule.ts',
    line: 'const early = escalation.findIndex(({ afterSeconds }, at) => afterSeconds <= (escalation[at - 1]?.afterSeconds ?? 0));',
    mutant: 'NumericLiteral: 1',
    why: 'a step comes after 30 s at least',
  },
  {
    file: 'shared/domain/rule/rule.ts',
    line: "if (early >= 0) reject(['escalation', early, 'afterSeconds'], 'steps_rise');",
    mutant: 'EqualityOperator: early > 0',
    why: 'the first step is never too early: it comes after 30 s at least',
  },
  {
    file: 'shared/domain/rule/rule.ts',
    line: "if (early >= 0) reject(['escalation', early, 'afterSeconds'], 'steps_rise');",
    mutant: 'NumericLiteral: 1',
    why: 'the first step is never too early: it comes after 30 s at least',
  },
  {
    file: 'shared/domain/identity/language.ts',
    line: "const ranges = (acceptLanguage ?? '')",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: 'no text without the name of a language selects one',
    file: 'shared/api/middleware/authenticate.ts',
    line: 'if (!read?.accountKey) return { identity: null, rate: null };',
    mutant: 'ObjectLiteral: {}',
    why: anonymous,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: 'return { identity: null, rate: null };',
    mutant: 'ObjectLiteral: {}',
    why: anonymous,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: "if (parseToken(token)?.kind !== 'device') return { identity: null, rate: null };",
    mutant: 'ObjectLiteral: {}',
    why: anonymous,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: 'return operationOf(exchange).withoutTable ? found.catch(() => ({ identity: null, rate: null })) : found;',
    mutant: 'ObjectLiteral: {}',
    why: anonymous,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: "if (auth === 'device') return byDevice(guard, token ?? '', exchange);",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: noToken,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: "const fromCookie = cookie(exchange.event, 'PSAUTHTOKEN') ?? '';",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: noToken,
  },
  {
    file: 'shared/api/middleware/authenticate.ts',
    line: "return byToken(guard, token ?? (parseToken(fromCookie)?.kind === 'session' ? fromCookie : ''), exchange);",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: noToken,
  },
  {
    file: 'shared/api/middleware/authorise.ts',
    line: "if (operation.may === 'system_admin') return caller.isAdmin;",
    mutant: 'ConditionalExpression: false',
    why: 'no permission has this name, so only a system admin passes the check that follows',
  },
  {
    file: 'shared/api/middleware/authorise.ts',
    line: "if (operation.may === 'system_admin') return caller.isAdmin;",
    mutant: 'StringLiteral: ""',
    why: 'no permission has this name, so only a system admin passes the check that follows',
  },
  {
    file: 'shared/api/middleware/csrf.ts',
    line: "const token = cookie(exchange.event, 'PSAUTHTOKEN') ?? '';",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: noToken,
  },
  {
    file: 'shared/api/middleware/csrf.ts',
    line: "const [shown = '', ...more] = headerValues(exchange.event, 'x-csrf-token');",
    mutant: 'StringLiteral: "Stryker was here!"',
    why: noToken,
  },
  {
    file: 'shared/api/middleware/csrf.ts',
    line: 'const endVulnerable = async (guard: Guard, exchange: Exchange, isProtected = (_: Session) => false): Promise<void> => {',
    mutant: 'ArrowFunction: () => undefined',
    why: 'both mean that nothing protects the session',
  },
  {
    file: 'shared/api/middleware/input.ts',
    line: "Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');",
    mutant: 'StringLiteral: ""',
    why: 'UTF-8 is the default',
  },
  {
    file: 'shared/api/middleware/rate-limit.ts',
    line: 'const { calls } = rates.count(subject, 0, now());',
    mutant: 'NumericLiteral: 1',
    why: 'only the calls of accounts and addresses are limited',
  },
  {
    file: 'shared/api/middleware/response.ts',
    line: "export const errorResponse = async (error: ApiError, locale = 'en', allowed: readonly string[] = []) => {",
    mutant: 'StringLiteral: ""',
    why: 'unknown languages get English',
  },
  {
    file: 'shared/store/identity/access-tokens.ts',
    line: 'const sessions = keys.length === 0 ? [] : await table.getAll<TokenSession>(keys);',
    mutant: 'ConditionalExpression: false',
    why: noCall,
  },
  {
    file: 'shared/store/identity/logins.ts',
    line: 'const found = keys.length === 0 ? [] : await table.getAll<Login>(keys);',
    mutant: 'ConditionalExpression: false',
    why: noCall,
  },
  {
    file: 'shared/store/identity/backoffs.ts',
    line: 'if (await table.update(key, changes({ add: { failures: 1 }, set: { ttl }, if: free }))) return 0;',
    mutant: 'ConditionalExpression: false',
    why: 'the failure is then counted from what is read; the update only saves that',
  },
  {
    file: 'shared/store/identity/externals.ts',
    line: "const update = changes({ set: { isTaken: true }, if: isUnused }, 'ALL_NEW');",
    mutant: 'BooleanLiteral: false',
    why: 'only whether the attribute exists counts',
  },
  {
    file: 'shared/store/identity/access-tokens.ts',
    line: 'const start = hash.charCodeAt(0) + hash.charCodeAt(1);',
    mutant: 'NumericLiteral: 1',
    why: 'the search may start at any slot',
  },
  {
    file: 'shared/store/identity/access-tokens.ts',
    line: 'const start = hash.charCodeAt(0) + hash.charCodeAt(1);',
    mutant: 'NumericLiteral: 2',
    why: 'the search may start at any slot',
  },
];
