import { describe, expect, test } from 'vitest';
import { ADMIN_PASSWORD, startTestCloud } from '../fixtures/cloud.ts';
import { adminOf } from '../fixtures/home.ts';
import { refusedTo } from '../fixtures/iam-check.ts';
import type { Gate } from '../fixtures/iam-gate.ts';
import { idle } from '../fixtures/iam-idle.ts';
import { replayRights } from '../fixtures/rights-replay.ts';
import { running } from './running.ts';

const judges = () => running.map(({ judge }) => judge);

/** The deployed policies, across all clouds in this file. */
const gate: Gate = {
  // Repeated calls need permissions too.
  options: { losesAnswers: true },
  get denied() {
    return judges().flatMap(({ denied }) => denied);
  },
  deniedTo: (name, ...args) => refusedTo(judges(), name.replaceAll('-', ''), ...args),
  unused: () => {
    const [first = [], ...more] = judges().map(({ unused }) => unused());
    return first.filter((right) => more.every((other) => other.includes(right)));
  },
};

/** Returns a permission with the function name as it appears in logical ids, without hyphens. */
const named = (right: string): string => right.replace(/^[^:]+/, (name) => name.replaceAll('-', ''));
const onlyHere = [
  'auth: ses:SendEmail mail/example.org',
  'auth: ses:SendRawEmail mail/example.org',
  'channels: ses:SendEmail mail/example.org',
  'channels: ses:SendRawEmail mail/example.org',
  'alarmcheck: ses:SendEmail mail/example.org',
  'alarmcheck: ses:SendRawEmail mail/example.org',
  'users: ses:SendEmail mail/example.org',
  'users: ses:SendRawEmail mail/example.org',
  'deliver: ses:SendEmail mail/example.org',
  'deliver: ses:SendRawEmail mail/example.org',
  // Needed only with the canary (canary.test.ts). API Gateway itself responds to other methods on that path.
  'server: dynamodb:GetItem table CANARY',
  'canary: dynamodb:UpdateItem table RATE#*#*',
  // The clock is fixed during an invocation, so only test/lib/aws/iam-replay.test.ts can make a sweep run out of time.
  'sweep: dynamodb:UpdateItem table HEARTBEAT',
];

describe('exactly the deployed permissions', () => {
  test('emails system admins until an alarm subscription is confirmed', async () => {
    const mails: string[] = [];
    const cloud = await startTestCloud({ ...gate.options, say: (line) => void mails.push(line), log: () => {} });
    const admin = await adminOf(cloud.url);
    const { id } = await admin.ok<{ id: number }>('GET', '/users/me');
    const profile = { firstName: 'A', lastName: 'B', telegramId: null, mobileNumber: null, locale: 'en' };
    await admin.ok('PUT', `/users/${id}`, { ...profile, email: 'boss@example.com', currentPassword: ADMIN_PASSWORD });
    await cloud.sweep();
    expect(mails).toEqual([expect.stringMatching(/^mail to boss@example\.com: Nobody receives alarms: /)]);
    mails.length = 0;
    await cloud.sweep();
    await cloud.sweep();
    expect(mails).toEqual(['ALARM: canary-silent']);
    expect(gate.denied).toEqual([]);
    await cloud.stop();
  });

  replayRights(gate, [...Object.keys(idle).map(named), ...onlyHere]);
});
