import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTrace } from '#lib/tools/trace/trace.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterAll(() => world.stop());

test("a trace contains a hit's escalation steps with their delays and message counts", async () => {
  const home = await world.furnish(3);
  await home.addRule('a', { 30: 'bc', 60: 'c' });
  home.answerWith((who, response) => void response.writeHead(who === 'b' ? 500 : 200).end());
  await home.fall();
  await world.pass(40);
  const [hit] = await home.hits();
  const wanted = { kind: 'event' as const, id: hit?.sensorEventId ?? '', known: {} };
  const { steps } = await createTrace(world.cloud.runtime.table, wanted, world.clock.now());
  expect(steps.filter(({ step }) => step === 'hit').map(({ says }) => says)).toEqual([
    expect.stringMatching(/: 1 of 1 messages were sent$/),
  ]);
  const [escalation, ...more] = steps.filter(({ step }) => step === 'step');
  expect(more).toEqual([]);
  expect(escalation?.says).toBe(`1 of hit ${hit?.id}, which nobody had acknowledged: 1 of 2 messages were sent`);
  expect(Math.round((escalation?.after ?? 0) / 1_000)).toBe(30);
});
