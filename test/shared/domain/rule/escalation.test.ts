import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginning,
  closed,
  isNear,
  lookAt,
  MOST_REPEATS,
  nextRound,
  opened,
  placesOf,
  stepsOf,
} from '#shared/domain/rule/escalation.ts';
import { type Telling, webhooksIn } from '#shared/domain/rule/recipients.ts';

const recipient = (n: number) => ({ botId: n % 3, webhookId: `w${n}` });
const recipients = fc.array(fc.integer({ min: 0, max: 5 }).map(recipient), { minLength: 1, maxLength: 4 });
const rules: fc.Arbitrary<Telling> = fc
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
/** How late (ms) rounds are decided. */
const lateness = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000_000 })), { minLength: 1 });

/** Plays the escalation of a hit that was made at 0, each round as late as given. */
const play = (rule: Telling, lates: readonly number[]) => {
  const rounds: { at: number; now: number; kind: string; step: number }[] = [];
  let now = 0;
  for (let escalation = beginning(rule, 0); escalation; ) {
    const round = nextRound(rule, escalation, 0);
    if (!round) throw new Error('an escalation that goes on has a next round');
    now = Math.max(now, round.at) + (lates[rounds.length % lates.length] ?? 0);
    const open = opened(escalation, round, false);
    const step = stepsOf(rule, round.kind, round.after)[0]?.step ?? 0;
    rounds.push({ at: round.at, now, kind: round.kind, step });
    expect(open.round).toBe(rounds.length);
    escalation = closed(rule, open, 0, now);
  }
  return rounds;
};

describe('an escalation, whenever its rounds are decided,', () => {
  test('takes each step once and in order, then repeats 20 times, and ends', () => {
    fc.assert(
      fc.property(rules, lateness, (rule, lates) => {
        const rounds = play(rule, lates);
        const steps = rounds.filter(({ kind }) => kind === 'step');
        expect(steps.map(({ step }) => step)).toEqual((rule.escalation ?? []).map((_, at) => at + 1));
        expect(steps.map(({ at }) => at)).toEqual(
          (rule.escalation ?? []).map(({ afterSeconds }) => afterSeconds * 1_000),
        );
        const repeats = rounds.slice(steps.length);
        expect(repeats).toHaveLength((rule.repeatSeconds ?? null) === null ? 0 : MOST_REPEATS);
        for (const { kind } of repeats) expect(kind).toBe('repeat');
      }),
    );
  });

  test('repeats no sooner than its time, and catches up once alone', () => {
    fc.assert(
      fc.property(rules, lateness, (rule, lates) => {
        const ms = (rule.repeatSeconds ?? 0) * 1_000;
        const rounds = play(rule, lates);
        for (const [at, { kind, at: due }] of rounds.entries()) {
          const before = rounds[at - 1] ?? { at: 0, now: 0 };
          if (kind === 'repeat') expect(due).toBe(before.at + ms > before.now ? before.at + ms : before.now + ms);
        }
      }),
    );
  });

  test('finds the messages that its recipients had before when all are told again', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const told = (steps: ReturnType<typeof stepsOf>) =>
          steps.flatMap(({ step, recipients }) =>
            webhooksIn(recipients).map(({ botId }) => ({ step, accountId: botId, publisher: 'webhook' as const })),
          );
        const first = stepsOf({ ...rule, escalation: [] }, 'repeat', 0);
        const steps = (rule.escalation ?? []).flatMap(({ afterSeconds }) => stepsOf(rule, 'step', afterSeconds));
        const messages = told([...first, ...steps]);
        expect(placesOf(messages, told(stepsOf(rule, 'repeat', 86_400)))).toEqual(messages.map((_, at) => at));
      }),
    );
  });

  test('takes its next step at once when nobody was on duty, and the one after that at its time', () => {
    const step = (afterSeconds: number) => ({
      afterSeconds,
      recipients: [{ onDuty: true as const, by: 'sms' as const }],
    });
    const rule = { recipients: [recipient(1)], escalation: [60, 120, 600].map(step), repeatSeconds: null };
    const first = beginning(rule, 0, true) ?? expect.unreachable();
    expect([first.at, nextRound(rule, first, 0)]).toEqual([0, { kind: 'step', after: 60, at: 0 }]);
    const open = opened(first, { kind: 'step', after: 60, at: 0 }, true);
    const second = closed(rule, open, 0, 5) ?? expect.unreachable();
    expect(nextRound(rule, second, 0)).toEqual({ kind: 'step', after: 120, at: 5 });
    const third = closed(rule, opened(second, { kind: 'step', after: 120, at: 5 }, false), 0, 9);
    expect(third && nextRound(rule, third, 0)).toEqual({ kind: 'step', after: 600, at: 600_000 });
    // A step whose time has passed is not put off.
    expect(closed(rule, opened(first, { kind: 'step', after: 60, at: 0 }, true), 0, 700_000)?.at).toBe(120_000);
  });
});

test('the sweep looks at a round when a queue can delay its task until then, and at a near one when it is due', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200_000_000 }), (at) => {
      const look = lookAt(at, 0);
      expect(isNear(at, 0) ? look === at : look > 0 && isNear(at, look)).toBe(true);
    }),
  );
});

test('a recipient who has no message yet has no place', () => {
  const place = { step: 0, accountId: 1, publisher: 'sms' as const };
  const others = [
    { ...place, step: 1 },
    { ...place, publisher: 'email' as const },
  ];
  expect(placesOf([place], others)).toEqual([null, null]);
});
