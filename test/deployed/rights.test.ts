import { describe, expect, test } from 'vitest';
import { startTestCloud } from '../fixtures/cloud.ts';
import { adminOf } from '../fixtures/home.ts';
import type { Gate } from '../fixtures/iam-gate.ts';
import { idle } from '../fixtures/iam-idle.ts';
import { refusedTo } from '../fixtures/iam-judge.ts';
import { replayRights } from '../fixtures/rights-replay.ts';
import { running } from './running.ts';

const judges = () => running.map(({ judge }) => judge);
/** The policies of the artefact, in all clouds of this file. */
const gate: Gate = {
  // What a repetition needs is a right, too.
  options: { losesAnswers: true },
  get denied() {
    return judges().flatMap(({ denied }) => denied);
  },
  refusedTo: (name, ...given) => refusedTo(judges(), name.replaceAll('-', ''), ...given),
  unused: () => {
    const [first = [], ...more] = judges().map(({ unused }) => unused());
    return first.filter((right) => more.every((other) => other.includes(right)));
  },
};
/** As the artefact names functions: a logical id has no hyphens. */
const named = (right: string): string => right.replace(/^[^:]+/, (name) => name.replaceAll('-', ''));
const onlyHere = [
  'auth: ses:SendEmail mail/example.org',
  'channels: ses:SendEmail mail/example.org',
  'alarmcheck: ses:SendEmail mail/example.org',
  'deliver: ses:SendEmail mail/example.org',
  // Only where the canary is on: canary.test.ts. What else is called at its path is answered by API Gateway.
  'server: dynamodb:GetItem table CANARY',
  'canary: dynamodb:UpdateItem table RATE#*#*',
  // The clock of an invocation is set as it begins: only test/lib/aws/iam-replay.test.ts brings a sweep near its end.
  'sweep: dynamodb:UpdateItem table HEARTBEAT',
];

describe('with the rights of the artefact, and no others', () => {
  test('system admins get a mail while nobody has confirmed to be told of alarms', async () => {
    const mails: string[] = [];
    const cloud = await startTestCloud({ ...gate.options, say: (line) => void mails.push(line), log: () => {} });
    const admin = await adminOf(cloud.url);
    const { id } = await admin.ok<{ id: number }>('GET', '/users/me');
    const profile = { firstName: 'A', lastName: 'B', telegramId: null, mobileNumber: null, locale: 'en' };
    await admin.ok('PUT', `/users/${id}`, { ...profile, email: 'boss@example.com' });
    await cloud.sweep();
    expect(mails).toEqual([expect.stringMatching(/^mail to boss@example\.com: Nobody receives alarms: /)]);
    expect(gate.denied).toEqual([]);
    await cloud.stop();
  });

  replayRights(gate, [...Object.keys(idle).map(named), ...onlyHere]);
});
