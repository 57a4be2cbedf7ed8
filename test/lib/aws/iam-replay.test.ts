import { rmSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import { createGate } from '../../fixtures/iam-gate.ts';
import { idle } from '../../fixtures/iam-idle.ts';
import { policiesOf } from '../../fixtures/iam-stack.ts';
import { replayRights } from '../../fixtures/rights-replay.ts';
import { createStacks } from '../../fixtures/stack.ts';

const { folder, stackOf } = createStacks();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const policies = new Map(policiesOf(stackOf({ mailSender: 'cloud@example.org' })));

describe('with the rights of the template, and no others', () => replayRights(createGate(policies), Object.keys(idle)));
