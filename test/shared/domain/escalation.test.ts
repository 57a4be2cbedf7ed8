import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginning,
  closed,
  isNear,
  lookAt,
  MOST_REPEATS,
  nextRound,
  onceEach,
  opened,
  placesOf,
  targetsOf,
} from '../../../shared/domain/escalation.ts';
import type { Telling } from '../../../shared/domain/recipient.ts';

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
    ...{ recipients, repeatSeconds },
    escalation: seconds
      .toSorted((one, other) => one - other)
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
    const open = opened(escalation, round);
    const step = targetsOf(rule, round.kind, round.after)[0]?.step ?? 0;
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
        expect(steps.map(({ at }) => at)).toEqual((rule.escalation ?? []).map((one) => one.afterSeconds * 1_000));
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

  test('tells each recipient of a round once, and finds the message that it had before', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const accounts = (targets: ReturnType<typeof targetsOf>) =>
          targets.map(({ step, recipient: { botId } }) => ({ step, accountId: botId }));
        const first = targetsOf({ ...rule, escalation: [] }, 'repeat', 0);
        const steps = (rule.escalation ?? []).flatMap(({ afterSeconds }) => targetsOf(rule, 'step', afterSeconds));
        const messages = accounts([...first, ...steps]);
        const again = targetsOf(rule, 'repeat', 86_400);
        expect(placesOf(messages, accounts(again))).toEqual(messages.map((_, at) => at));
        const once = onceEach(again).map(({ recipient: { webhookId } }) => webhookId);
        expect(once.toSorted()).toEqual([...new Set(again.map((one) => one.recipient.webhookId))].toSorted());
      }),
    );
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
  expect(placesOf([{ step: 0, accountId: 1 }], [{ step: 1, accountId: 1 }])).toEqual([null]);
});
