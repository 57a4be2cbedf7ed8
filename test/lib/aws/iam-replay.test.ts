import { describe, expect, test } from 'vitest';
import { replayDeliveries } from '#test/fixtures/deliveries-replay.ts';
import { createGate } from '#test/fixtures/iam-gate.ts';
import { policiesOf } from '#test/fixtures/iam-stack.ts';
import { stackOf, whole } from '#test/fixtures/stack.ts';

const gate = createGate(new Map(policiesOf(stackOf(whole))));

// test/deployed/rights.test.ts makes all functions do all that they can do, but for what only a clock of tests can.
describe('with the rights of the template, and no others', () => {
  replayDeliveries(gate);

  test('a sweep that has no time left notes its place', () => {
    expect(gate.unused()).not.toContain('sweep: dynamodb:UpdateItem table HEARTBEAT');
  });
});
