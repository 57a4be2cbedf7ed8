import { workerEquivalents } from './worker-equivalents.ts';

/**
 * A mutant that no test can notice, because the program behaves the same: the trimmed line of source, what it becomes in the
 * words of Stryker, and why that makes no difference.
 */
export type Equivalent = { file: string; line: string; mutant: string; why: string };

const unstored = 'a field that is undefined is not stored, and counts as missing';
const order = 'only the order of the ranks counts';
const epoch = 'no time is within the first milliseconds of 1970';
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
  },
];
