import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import type { Message } from '#lib/local/message.ts';
import { createQueue } from '#lib/local/queue/queue.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), group: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('receive' as const), max: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constantFrom('remove', 'retry', 'wait'), which: fc.nat(20), seconds: fc.nat(40) }),
);
test('a FIFO queue loses nothing and delivers each group in order, to one receiver at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const clock = virtualClock(0);
      const queue = createQueue({ name: 'calls', visibilitySeconds: 30, maxReceiveCount: 1, clock, fifo: true });
      const pending = new Map<string, string[]>();
      let held: { message: Message; until: number }[] = [];
      let sent = 0;
      const groupOf = ({ message }: { message: Message }) => message.attributes.MessageGroupId ?? '';
      for (const step of steps) {
        held = held.filter(({ until }) => until > clock.now());
        if (step.kind === 'send') {
          sent += 1;
          queue.send({ body: `${step.group}${sent}`, groupId: step.group, deduplicationId: String(sent) });
          pending.set(step.group, [...(pending.get(step.group) ?? []), `${step.group}${sent}`]);
        } else if (step.kind === 'receive') {
          const got = queue.receive(step.max).map((message) => ({ message, until: clock.now() + 30_000 }));
          const free = [...pending].filter(([group, all]) => all.length > 0 && !held.some((h) => groupOf(h) === group));
          const receivable = free.reduce((sum, [, all]) => sum + all.length, 0);
          expect(got).toHaveLength(Math.min(step.max, receivable));
          for (const [group, all] of free) {
            const ofGroup = got.filter((g) => groupOf(g) === group).map(({ message }) => message.body);
            expect(ofGroup).toEqual(all.slice(0, ofGroup.length));
          }
          held.push(...got);
        } else if (step.kind === 'wait') await clock.advance(step.seconds * 1_000);
        else {
          const target = held[step.which];
          if (!target) continue;
          const { message } = target;
          if (step.kind === 'retry') {
            queue.changeVisibility(message.receiptHandle, step.seconds);
            target.until = clock.now() + step.seconds * 1_000;
          } else {
            queue.remove(message.receiptHandle);
            held = held.filter((h) => h !== target);
            const group = groupOf(target);
            pending.set(
              group,
              (pending.get(group) ?? []).filter((body) => body !== message.body),
            );
          }
        }
      }
      const { visible, inFlight } = queue.stats();
      expect(visible + inFlight).toBe([...pending.values()].flat().length);
    }),
    { numRuns: 200 },
  );
});
