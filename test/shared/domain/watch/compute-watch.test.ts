import { describe, expect, test } from 'vitest';
import type { Situation } from '#shared/domain/event/event.ts';
import type { By } from '#shared/domain/rule/recipient.ts';
import { isOfFalls } from '#shared/domain/watch/compute-watch.ts';
import {
  botId,
  now,
  reaching,
  rule,
  sensor,
  silence,
  toWebhook,
  uuid,
  watchOf,
  webhook,
} from '#test/fixtures/watch-input.ts';

const person = (userId: number, by: By = 'sms') => ({ userId, by });
const onDuty = { onDuty: true, by: 'sms' } as const;
const gone = { botId, webhookId: uuid(9) };
const kindsOf = ({ gaps }: ReturnType<typeof watchOf>) => gaps.map(({ kind }) => kind);

test('only enabled rules about a possible or certain fall are about falls', () => {
  const isAbout = (situation: Situation, isEnabled = true) => isOfFalls(rule([toWebhook(1)], { situation, isEnabled }));
  for (const situation of ['fall_suspected', 'fall_confirmed', 'fall_detected', 'fall_detected_sensitive'] as const)
    expect([situation, isAbout(situation), isAbout(situation, false)]).toEqual([situation, true, false]);
  for (const situation of ['fall_finished', 'fall_canceled', 'bed_left', 'sensor_inactive'] as const)
    expect([situation, isAbout(situation)]).toEqual([situation, false]);
});

describe('what a watch reports', () => {
  test('a watch counts sensors and rules, and names the first ten offline sensors', () => {
    const ids = Array.from({ length: 12 }, (_, at) => `s${String(11 - at).padStart(2, '0')}`);
    const sensors = [...ids.map((id) => sensor(id, { isActive: false, name: `Room ${id}` })), sensor('on')];
    const watch = watchOf({ sensors });
    expect(watch).toMatchObject({ date: now, sensors: 13, rules: 2, totalGaps: watch.gaps.length });
    const first = ids.toReversed().slice(0, 10);
    expect(watch.silentSensors).toEqual({ total: 12, first: first.map((id) => ({ id, name: `Room ${id}` })) });
    expect(watchOf().silentSensors).toEqual({ total: 0, first: [] });
  });

  test('sensors are listed by name', () => {
    const sensors = ['Room 2', 'Attic', 'room 10'].map((name, at) => sensor(`id_${at}`, { name, isActive: false }));
    const { gaps, silentSensors } = watchOf({ sensors });
    expect(silentSensors.first.map(({ name }) => name)).toEqual(['Attic', 'room 10', 'Room 2']);
    expect(gaps).toMatchObject([{ kind: 'sensor_offline', sensorIds: ['id_1', 'id_2', 'id_0'] }]);
  });

  test('a watch tells whether a rule is about offline sensors', () => {
    const fall = rule([toWebhook(1)]);
    expect(watchOf({ rules: [fall, silence()] }).isSilenceTold).toBe(true);
    expect(watchOf({ rules: [fall, silence({ isEnabled: false })] }).isSilenceTold).toBe(false);
    expect(watchOf({ rules: [fall] }).isSilenceTold).toBe(false);
  });

  test('gaps come with the names of everything they refer to, and nothing else', () => {
    const other = rule([toWebhook(1)], { situation: 'bed_left' });
    const rules = [other, rule([person(21), toWebhook(2)], { name: 'night' }), silence()];
    const webhooks = [webhook(1), webhook(2, { isEnabled: false, name: 'Off' }), webhook(3)];
    const sensors = [sensor('a', { name: 'Room 1' }), sensor('b', { name: 'Room 2', isSilent: true })];
    const unnotified = [{ kind: 'unnotified', sensorId: 'a', situation: 'apnea', hitId: 1, createDate: 1 } as const];
    const users = new Map([
      [21, 'Anna'],
      [22, 'Ben'],
    ]);
    const { names, gaps } = watchOf({ rules, webhooks, sensors, users, unnotified });
    expect(gaps.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['unnotified', 'silent_mode', 'unreachable_recipient', 'webhook_off']),
    );
    expect(names).toEqual({
      sensors: { a: 'Room 1', b: 'Room 2' },
      rules: { [String(rules[1]?.id)]: 'night' },
      webhooks: { [uuid(2)]: 'Off' },
      users: { 21: 'Anna' },
    });
    expect(watchOf({ users }).names).toEqual({ sensors: {}, rules: {}, webhooks: {}, users: {} });
  });

  test("a webhook on the service's own machine is a gap", () => {
    const { gaps, names } = watchOf({ loopbackTargets: [uuid(1)] });
    expect(gaps).toEqual([{ kind: 'loopback_target', webhookId: uuid(1) }]);
    expect(names.webhooks).toEqual({ [uuid(1)]: 'hook 1' });
  });
});

describe('rules that reach no one', () => {
  const unheard = (recipients: Parameters<typeof rule>[0], more: object = {}, reach = reaching({})) => {
    const checked = rule(recipients, { name: 'checked', ...more });
    const { unheardRules } = watchOf({ rules: [checked, silence()], reach });
    return unheardRules.map(({ id, name }) => [id === checked.id, name]);
  };

  test('a fall rule reaches no one if all its recipients are unreachable', () => {
    expect(unheard([gone])).toEqual([[true, 'checked']]);
    expect(unheard([person(21), gone])).toEqual([[true, 'checked']]);
    expect(unheard([gone, toWebhook(1)])).toEqual([]);
    expect(unheard([person(21)], {}, reaching({ channels: new Map([[21, ['sms'] as const]]) }))).toEqual([]);
  });

  test('only enabled fall rules count', () => {
    expect(unheard([gone], { isEnabled: false })).toEqual([]);
    expect(unheard([gone], { situation: 'bed_left' })).toEqual([]);
  });

  test('a rule for the users on duty is reported as such, and does not count as unheard', () => {
    expect(unheard([onDuty])).toEqual([]);
    expect(unheard([onDuty, gone])).toEqual([]);
    const isNobodyOnDuty = (recipients: Parameters<typeof rule>[0], more: object = {}, reach = reaching({})) =>
      watchOf({ rules: [rule(recipients, more)], reach }).isNobodyOnDuty;
    expect(isNobodyOnDuty([onDuty])).toBe(true);
    expect(isNobodyOnDuty([onDuty], { situation: 'bed_left' })).toBe(false);
    expect(isNobodyOnDuty([toWebhook(1)])).toBe(false);
    const channels = new Map([[21, ['sms'] as const]]);
    expect(isNobodyOnDuty([onDuty], {}, reaching({ onDuty: [21], channels }))).toBe(false);
  });

  test('a rule whose only webhook is Raw is reported as such', () => {
    const raw = webhook(1, { format: 'raw' });
    const watch = watchOf({ webhooks: [raw], rules: [rule([toWebhook(1)]), silence()] });
    expect([kindsOf(watch).includes('raw_only'), watch.unheardRules]).toEqual([true, []]);
  });
});

describe('the size of a watch', () => {
  test('a watch that would be too large names fewer rules, but still counts all gaps', () => {
    const name = 'n'.repeat(60);
    const rules = Array.from({ length: 150 }, () => rule([gone], { name }));
    const watch = watchOf({ rules });
    expect(Buffer.byteLength(JSON.stringify(watch))).toBeLessThanOrEqual(20_000);
    const [gap] = watch.gaps.filter(({ kind }) => kind === 'unreachable_recipient');
    const listed = gap && 'ruleIds' in gap ? gap.ruleIds.length : 0;
    // Each reduction halves the lists.
    expect([listed, watch.unheardRules.length, Object.keys(watch.names.rules).length]).toEqual([100, 100, 100]);
    expect(watch).toMatchObject({ rules: 150, totalGaps: watch.gaps.length });
  });
});
