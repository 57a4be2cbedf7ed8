import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isWithinQueueDelay,
  MAX_HIT_MESSAGES,
  MAX_REPEATS,
  messageIndexes,
  newEscalation,
  nextRound,
  roundRecipients,
  sweepCheckAt,
} from '#shared/domain/rule/escalation.ts';
import { awaitingAnswer, withClosedRound, withOpenRound } from '#shared/domain/rule/escalation-rounds.ts';
import { type NotificationPlan, webhooksIn } from '#shared/domain/rule/recipients.ts';

const recipient = (n: number) => ({ botId: n % 3, webhookId: `w${n}` });
const recipients = fc.array(fc.integer({ min: 0, max: 5 }).map(recipient), { minLength: 1, maxLength: 4 });
const rules: fc.Arbitrary<NotificationPlan> = fc
  .record({
    recipients,
    seconds: fc.uniqueArray(fc.integer({ min: 30, max: 86_400 }), { maxLength: 5 }),
    of: fc.array(recipients, { minLength: 5, maxLength: 5 }),
    repeatSeconds: fc.option(fc.integer({ min: 60, max: 86_400 })),
  })
  .map(({ recipients, seconds, of, repeatSeconds }) => ({
    recipients,
    repeatSeconds,
    escalation: seconds
      .toSorted((time, other) => time - other)
      .map((afterSeconds, at) => ({ afterSeconds, recipients: of[at] ?? [] })),
  }));
/** The delay (ms) before each round is decided. */
const delays = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000_000 })), { minLength: 1 });

/** Runs the escalation for a hit created at 0, with a delay for each round. */
const play = (rule: NotificationPlan, delaysMs: readonly number[]) => {
  const rounds: { at: number; now: number; kind: string; step: number }[] = [];
  let now = 0;
  for (let escalation = newEscalation(rule, 0); escalation; ) {
    const round = nextRound(rule, escalation, 0);
    if (!round) throw new Error('an open escalation has no next round');
    now = Math.max(now, round.at) + (delaysMs[rounds.length % delaysMs.length] ?? 0);
    const open = withOpenRound(escalation, round, false);
    const step = roundRecipients(rule, round.kind, round.after)[0]?.step ?? 0;
    rounds.push({ at: round.at, now, kind: round.kind, step });
    expect(open.round).toBe(rounds.length);
    escalation = withClosedRound(rule, open, 0, now);
  }
  return rounds;
};

describe('escalation', () => {
  test('an escalation runs each step exactly once and in order', () => {
    fc.assert(
      fc.property(rules, delays, (rule, delaysMs) => {
        const rounds = play(rule, delaysMs);
        const steps = rounds.filter(({ kind }) => kind === 'step');
        expect(steps.map(({ step }) => step)).toEqual((rule.escalation ?? []).map((_, at) => at + 1));
        expect(steps.map(({ at }) => at)).toEqual(
          (rule.escalation ?? []).map(({ afterSeconds }) => afterSeconds * 1_000),
        );
        const repeats = rounds.slice(steps.length);
        expect(repeats).toHaveLength((rule.repeatSeconds ?? null) === null ? 0 : MAX_REPEATS);
        for (const { kind } of repeats) expect(kind).toBe('repeat');
      }),
    );
  });

  test('an escalation makes up for missed repeats with a single repeat', () => {
    fc.assert(
      fc.property(rules, delays, (rule, delaysMs) => {
        const ms = (rule.repeatSeconds ?? 0) * 1_000;
        const rounds = play(rule, delaysMs);
        for (const [at, { kind, at: due }] of rounds.entries()) {
          const before = rounds[at - 1] ?? { at: 0, now: 0 };
          if (kind === 'repeat') expect(due).toBe(before.at + ms > before.now ? before.at + ms : before.now + ms);
        }
      }),
    );
  });

  test('a repeat reuses the earlier messages to its recipients', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const messagesOf = (steps: ReturnType<typeof roundRecipients>) =>
          steps.flatMap(({ step, recipients }) =>
            webhooksIn(recipients).map(({ botId }) => ({ step, accountId: botId, publisher: 'webhook' as const })),
          );
        const first = roundRecipients({ ...rule, escalation: [] }, 'repeat', 0);
        const steps = (rule.escalation ?? []).flatMap(({ afterSeconds }) =>
          roundRecipients(rule, 'step', afterSeconds),
        );
        const messages = messagesOf([...first, ...steps]);
        const repeated = messagesOf(roundRecipients(rule, 'repeat', 86_400));
        expect(messageIndexes(messages, repeated)).toEqual(messages.map((_, index) => index));
      }),
    );
  });

  test('the next step runs at once if no one was on duty, but later steps run on schedule', () => {
    const step = (afterSeconds: number) => ({
      afterSeconds,
      recipients: [{ onDuty: true as const, by: 'sms' as const }],
    });
    const rule = { recipients: [recipient(1)], escalation: [60, 120, 600].map(step), repeatSeconds: null };
    const first = newEscalation(rule, 0, true) ?? expect.unreachable();
    expect([first.at, nextRound(rule, first, 0)]).toEqual([0, { kind: 'step', after: 60, at: 0 }]);
    const open = withOpenRound(first, { kind: 'step', after: 60, at: 0 }, true);
    const second = withClosedRound(rule, open, 0, 5) ?? expect.unreachable();
    expect(nextRound(rule, second, 0)).toEqual({ kind: 'step', after: 120, at: 5 });
    const third = withClosedRound(rule, withOpenRound(second, { kind: 'step', after: 120, at: 5 }, false), 0, 9);
    expect(third && nextRound(rule, third, 0)).toEqual({ kind: 'step', after: 600, at: 600_000 });
    // An overdue step is not postponed.
    expect(withClosedRound(rule, withOpenRound(first, { kind: 'step', after: 60, at: 0 }, true), 0, 700_000)?.at).toBe(
      120_000,
    );
  });
});

test('the sweep checks a distant round once a queue can hold it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200_000_000 }), (at) => {
      const checkedAt = sweepCheckAt(at, 0);
      expect(isWithinQueueDelay(at, 0) ? checkedAt === at : checkedAt > 0 && isWithinQueueDelay(at, checkedAt)).toBe(
        true,
      );
    }),
  );
});

test('a message reuses only earlier messages of the same step and channel', () => {
  const message = { step: 0, accountId: 1, publisher: 'sms' as const };
  const others = [
    { ...message, step: 1 },
    { ...message, publisher: 'email' as const },
  ];
  expect(messageIndexes([message], others)).toEqual([null, null]);
});

test.each([
  ['between repeats', [], 120, 120],
  ['between the last two steps', [60, 300], null, 240],
  ['before the only step', [90], null, 90],
  ['between repeats, after the steps', [60, 300], 400, 400],
  ['between the last two steps, but at least a minute', [30, 50], null, 60],
  ['between the last two steps, but at most 15 minutes', [60, 7_200], null, 900],
])('the wait for a response is the interval %s', (_, steps, repeatSeconds, seconds) => {
  const rule = {
    recipients: [],
    repeatSeconds,
    escalation: steps.map((afterSeconds) => ({ afterSeconds, recipients: [] })),
  };
  const done = { round: 3, after: steps.at(-1) ?? 0, repeats: 0, at: 5_000 };
  expect(awaitingAnswer(rule, done, 9_000)).toEqual({ ...done, at: 9_000 + seconds * 1_000, isLast: true });
});

test('an alarm does not wait for a response if the rule has no steps or repeats', () => {
  const rule = { recipients: [], repeatSeconds: null, escalation: [] };
  expect(awaitingAnswer(rule, { round: 1, after: 60, repeats: 0, at: 0 }, 0)).toBe(null);
});

describe('next round', () => {
  const step = (afterSeconds: number) => ({ afterSeconds, recipients: [recipient(afterSeconds)] });
  const rule = { recipients: [recipient(0)], repeatSeconds: 100, escalation: [60, 300].map(step) };

  test('the next round is timed from the hit date, or from a corrected date', () => {
    const escalation = { round: 1, after: 60, repeats: 0, at: 0, from: 5_000 };
    expect(nextRound(rule, escalation, 1_000)).toEqual({ kind: 'step', after: 300, at: 305_000 });
    const open = withOpenRound(escalation, { kind: 'step', after: 300, at: 305_000 }, false);
    expect(open).toEqual({ round: 2, after: 300, repeats: 0, at: 305_000, from: 5_000, open: 'step' });
    const next = withClosedRound(rule, open, 1_000, 305_000);
    expect(next).toEqual({ round: 2, after: 300, repeats: 0, at: 405_000, from: 5_000 });
    expect(next && awaitingAnswer(rule, next, 9_000)).toEqual({ ...next, at: 109_000, isLast: true });
    expect(newEscalation(rule, 1_000)).toEqual({ round: 0, after: 0, repeats: 0, at: 61_000 });
    expect(withOpenRound({ round: 0, after: 0, repeats: 0, at: 0 }, { kind: 'step', after: 60, at: 1 }, false)).toEqual(
      {
        round: 1,
        after: 60,
        repeats: 0,
        at: 1,
        open: 'step',
      },
    );
  });
  test('a step can be brought forward, but a repeat cannot', () => {
    const first = newEscalation({ ...rule, escalation: [] }, 1_000, true);
    expect(first).toEqual({ round: 0, after: 0, repeats: 0, at: 101_000 });
    expect(newEscalation(rule, 1_000, true)).toEqual({ round: 0, after: 0, repeats: 0, at: 1_000, isHurried: true });
  });
  test('a repeat notifies the recipients of all steps so far', () => {
    expect(roundRecipients(rule, 'step', 300)).toEqual([{ step: 2, recipients: [recipient(300)] }]);
    expect(roundRecipients(rule, 'repeat', 60)).toEqual([
      { step: 0, recipients: [recipient(0)] },
      { step: 1, recipients: [recipient(60)] },
    ]);
    expect(roundRecipients(rule, 'repeat', 300).map(({ step }) => step)).toEqual([0, 1, 2]);
  });
  test('the wait for a response depends on the steps already sent, even after a rule change', () => {
    const plan = { ...rule, repeatSeconds: null, escalation: [60, 300, 900].map(step) };
    expect(awaitingAnswer(plan, { round: 2, after: 300, repeats: 0, at: 0 }, 0)?.at).toBe(240_000);
  });
});

test('messages to other webhooks, channels or steps are not reused', () => {
  const message = { step: 0, accountId: 1, publisher: 'webhook' as const };
  expect(messageIndexes([message, message], [message, message, message])).toEqual([0, 1, null]);
  expect(messageIndexes([{ ...message, accountId: 2 }, message], [message])).toEqual([1]);
  expect(
    messageIndexes(
      [
        { ...message, step: 1 },
        { ...message, publisher: 'sms' as const },
      ],
      [message],
    ),
  ).toEqual([null]);
});

test('a round due within 15 minutes runs from a queue, and the sweep checks later ones', () => {
  const minute = 60_000;
  expect([isWithinQueueDelay(15 * minute, 0), isWithinQueueDelay(15 * minute + 1, 0)]).toEqual([true, false]);
  expect([sweepCheckAt(15 * minute, 0), sweepCheckAt(60 * minute, 0)]).toEqual([15 * minute, 50 * minute]);
});

test('a rule repeats at most 20 times and a hit stores at most 300 messages', () => {
  expect([MAX_REPEATS, MAX_HIT_MESSAGES]).toEqual([20, 300]);
});
