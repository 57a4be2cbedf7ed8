import { describe, expect, test } from 'vitest';
import { replayDeliveries } from '#test/fixtures/deliveries-replay.ts';
import { createGate } from '#test/fixtures/iam-gate.ts';
import { policiesOf } from '#test/fixtures/iam-stack.ts';
import { stackOf, whole } from '#test/fixtures/stack.ts';

const gate = createGate(new Map(policiesOf(stackOf(whole))));

// test/deployed/permissions.test.ts covers all other permissions. This one needs a controllable clock.
describe('with exactly the permissions in the template', () => {
  replayDeliveries(gate);

  test('a sweep that runs out of time saves its position', () => {
    expect(gate.unused()).not.toContain('sweep: dynamodb:UpdateItem table HEARTBEAT');
  });
});
