import { expect, test } from 'vitest';
import { emergencyMessages, loadEmergency, notifyContacts } from '#functions/workers/process/emergency-contacts.ts';
import { reportUnanswered } from '#functions/workers/process/unanswered.ts';
import { idInRound } from '#shared/domain/delivery/snapshot.ts';
import { timeOrderedId } from '#shared/domain/ids.ts';
import { unansweredId } from '#shared/store/rules/end-unnotified.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import { alarmStubs, contacts, customerId, MADE, type Stored, sensorId, some } from '#test/fixtures/alarm-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const eventUuid = 'event-1';
const alarm: UnnotifiedAlarm = {
  alarmId: '11',
  customerId,
  sensorId,
  situation: 'fall_detected',
  eventUuid,
  hitId: 11,
  ruleId: 111,
  webhookIds: [],
  createDate: MADE,
  date: NOW,
};
const stored: Stored = { emergencyContacts: contacts };

/** Notifies an alarm's emergency contacts, and returns the deliveries to them. */
const notify = async (of: UnnotifiedAlarm, hits: Record<number, unknown> = {}) => {
  const stubs = alarmStubs({ ...stored, hits });
  const emergency = await loadEmergency(stubs.deps, of);
  if (!emergency) throw new Error('no contacts');
  await notifyContacts(stubs.deps, emergency, of);
  return stubs;
};

test('no emergency contact is notified if the sensor is gone', async () => {
  expect(await loadEmergency(alarmStubs().deps, alarm)).toBeNull();
  expect(await loadEmergency(alarmStubs({ ...stored, isSensorGone: true }).deps, alarm)).toBeNull();
});

test('each emergency contact is asked in their own language to check the room', async () => {
  const { created, enqueued } = await notify(alarm);
  const texts = created.map(({ snapshot }) => {
    const { rule, event, sensor, customer, reader } = some(snapshot as object) as Record<
      string,
      Record<string, unknown>
    >;
    return [rule?.title, rule?.message, reader?.language, event?.uuid, event?.createDate, sensor?.id, customer?.id];
  });
  const common = [eventUuid, MADE, sensorId, customerId];
  expect(texts).toEqual([
    ['Fall detected: Room 1', 'Nobody has been notified of this alarm. Please check the room.', 'en', ...common],
    [
      'Sturz erkannt: Room 1',
      'Niemand wurde über diesen Alarm benachrichtigt. Bitte sehen Sie in dem Raum nach.',
      'de',
      ...common,
    ],
  ]);
  expect(created[0]?.snapshot).toMatchObject({
    event: { id: 0, source: null },
    rule: { id: 111, name: '', createDate: 0, groupId: 0, situation: 'fall_detected' },
  });
  expect(enqueued.map(([tasks]) => tasks.map((task) => ('deliveryId' in task ? task.deliveryId : '')))).toEqual([
    created.map(({ id }) => id),
  ]);
});

test('messages to emergency contacts have a higher round number than all other messages', async () => {
  const idsOf = async (of: UnnotifiedAlarm) => (await notify(of)).created.map(({ id }) => id);
  const idOf = (round: number, ruleId: number, receiver: string) =>
    idInRound({ uuid: eventUuid, sensorId, ruleId }, { round, at: NOW }, receiver);
  const ids = (round: number, ruleId: number) =>
    ['21 sms', '22 email'].map((receiver) => idOf(round, ruleId, receiver));
  expect(await idsOf(alarm)).toEqual(ids(1_000, 111));
  expect(await idsOf({ ...alarm, isUnanswered: true })).toEqual(ids(1_001, 111));
  expect(await idsOf({ ...alarm, hitId: null, ruleId: null })).toEqual(ids(1_000, 0));
});

test('emergency contacts are linked to the last messages of the hit', async () => {
  const messages = [
    { accountId: 21, publisher: 'sms' },
    { accountId: 22, publisher: 'sms' },
    { accountId: 21, publisher: 'sms' },
    { accountId: 22, publisher: 'email' },
    { accountId: 21, publisher: 'email' },
    { accountId: 22, publisher: 'sms' },
  ];
  const { created, read } = await notify(alarm, { 11: { messages } });
  expect(created.map(({ hit }) => hit)).toEqual([
    { id: 11, message: 2 },
    { id: 11, message: 3 },
  ]);
  expect(read).toContain(`hit ${customerId} 11`);
});

test('messages to emergency contacts are not linked to a hit if the alarm has none', async () => {
  const { created, read } = await notify({ ...alarm, hitId: null });
  expect(created.map(({ hit }) => hit)).toEqual([null, null]);
  expect(read).toEqual([`sensor ${customerId} ${sensorId}`]);
});

test('a hit shows each emergency contact as not yet notified', async () => {
  const { deps } = alarmStubs(stored);
  const emergency = await loadEmergency(deps, alarm);
  const message = (accountId: number, publisher: string, name: string) => ({
    id: timeOrderedId(NOW, 0x0101),
    accountId,
    publisher,
    wasSend: false,
    sendTryTimes: [],
    extra: { display_name: name, is_bot: false },
    ruleHitId: 11,
    createDate: NOW,
    updateDate: NOW,
    step: 0,
  });
  expect(emergency && emergencyMessages(deps, emergency, 11)).toEqual([
    message(21, 'sms', 'Anna Ash'),
    message(22, 'email', 'Ben Birch'),
  ]);
});

test('a message to a deleted emergency contact omits the name', async () => {
  const { deps } = alarmStubs({ emergencyContacts: [{ userId: 99, by: 'sms' }] });
  const emergency = await loadEmergency(deps, alarm);
  expect(emergency && emergencyMessages(deps, emergency, 11)).toMatchObject([
    { accountId: 99, extra: { display_name: '' } },
  ]);
});

const hit = some({
  id: 11,
  sensorId,
  situation: 'fall_detected',
  ruleId: 111,
  createDate: MADE,
  cause: { uuid: eventUuid },
  messages: [],
});
const unansweredAlarm = { ...alarm, alarmId: unansweredId(11), isUnanswered: true };

test('an unacknowledged alarm is recorded, reported and emailed', async () => {
  const { deps, unanswered, enqueued, measured, places, logged } = alarmStubs();
  expect(await reportUnanswered(deps, customerId, hit)).toBe(true);
  const [[recorded, ofHit, messages] = []] = unanswered;
  expect(recorded).toEqual(unansweredAlarm);
  expect([ofHit, messages]).toEqual([hit, []]);
  const { alarmId } = recorded as UnnotifiedAlarm;
  const notice = { customerId, sensorId, uuid: `notice of ${alarmId}`, receiveDate: NOW - 1 };
  expect(enqueued).toEqual([
    [[{ type: 'process_notice', ...notice }], 0],
    [[{ type: 'alert_managers', customerId, uuid: eventUuid }], 0],
  ]);
  expect(measured).toEqual([['AlarmsUnanswered']]);
  expect(places).toEqual(['unanswered.recorded']);
  expect(logged).toEqual([
    ['warn', 'nobody acknowledged an alarm', { customerId, sensorId, hitId: 11, situation: 'fall_detected' }],
  ]);
});

test('emergency contacts are notified of an unacknowledged alarm', async () => {
  const { deps, unanswered, created } = alarmStubs(stored);
  await reportUnanswered(deps, customerId, hit);
  expect(unanswered[0]?.[2]).toMatchObject([{ accountId: 21 }, { accountId: 22 }]);
  expect(created.map(({ snapshot }) => (snapshot as { rule: { message: string } }).rule.message)).toEqual([
    'Nobody has responded to this alarm. Please check the room.',
    'Niemand hat auf diesen Alarm reagiert. Bitte sehen Sie in dem Raum nach.',
  ]);
});

test("an unanswered alarm's follow-up is repeated after a crash, but not counted again", async () => {
  const { deps, unanswered, enqueued, measured } = alarmStubs();
  await reportUnanswered(deps, customerId, some({ ...(hit as object), unansweredDate: NOW - 5_000 }));
  expect(unanswered[0]?.[0]).toMatchObject({ date: NOW - 5_000 });
  expect(enqueued).toHaveLength(2);
  expect(measured).toEqual([]);
});

test('an alarm is not reported as unanswered if it has changed since it was read', async () => {
  const { deps, enqueued, measured, created } = alarmStubs({ ...stored, isUnanswered: false });
  expect(await reportUnanswered(deps, customerId, hit)).toBe(false);
  expect([enqueued, measured, created]).toEqual([[], [], []]);
});

test('a hit that is not urgent is not reported as unanswered', async () => {
  const { deps, unanswered, enqueued } = alarmStubs(stored);
  expect(await reportUnanswered(deps, customerId, some({ ...(hit as object), situation: 'occupied_room' }))).toBe(true);
  expect([unanswered, enqueued]).toEqual([[], []]);
});
