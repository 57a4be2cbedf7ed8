import { describe, expect, test } from 'vitest';
import { costAtRest, formatCosts, monthOf, unitCosts } from '#lib/tools/aws/cost/at-rest.ts';
import { screenMonth, sensorMonth, totalOf } from '#lib/tools/aws/cost/costs.ts';
import { resourcesOf } from '#lib/tools/aws/template.ts';
import { independent, rareMetricsUsd } from '#test/fixtures/independent-costs.ts';
import { production, stackOf } from '#test/fixtures/stack.ts';

const { stage, alarmEmail, publicUrl, certificateArn } = production;
const prod = stackOf({ stage, alarmEmail, publicUrl, certificateArn }).template.toJSON();
const withoutChanges = totalOf(sensorMonth('HTTP', 'report', 0));

const home = stackOf({ stage, preset: 'home', alarmEmail, publicUrl, certificateArn }).template.toJSON();
const templates = { prod, home };
const compared = (['prod', 'home'] as const).flatMap((preset) =>
  Object.entries(independent[preset]).map(([sensors, usd]) => ({ preset, sensors: Number(sensors), usd })),
);

test.each(compared)(
  'the model agrees with an independent calculation for $sensors sensors with preset $preset',
  (of) => {
    const template = templates[of.preset];
    const { sensor } = unitCosts(template);
    const own = monthOf(template, { sensors: of.sensors, screens: 0 }) - of.sensors * (sensor - withoutChanges);
    const alike = own + rareMetricsUsd(of.preset);
    expect(Math.abs(alike / of.usd - 1), String(alike)).toBeLessThan(0.05);
  },
);

test('the preset for one home costs at least USD 13 less than production', () => {
  const of = { sensors: 30, screens: 2 };
  expect(monthOf(prod, of) - monthOf(home, of)).toBeGreaterThan(13);
  const missing = costAtRest(prod).filter(({ what }) => !costAtRest(home).some((row) => row.what === what));
  // The web ACL has an alarm, and some metrics are only for the dashboard.
  expect(missing.map(({ what }) => what)).toEqual([
    '39 alarms',
    '1 dashboards',
    '1 web ACLs with their rules',
    '9 custom metrics',
  ]);
});

test('a home with 30 sensors, two consoles and emails costs at most USD 20', () => {
  const settings = { stage, preset: 'home', alarmEmail, publicUrl, certificateArn, mailSender: 'cloud@example.org' };
  const template = stackOf(settings).template.toJSON();
  expect(monthOf(template, { sensors: 30, screens: 2 })).toBeLessThanOrEqual(20);
});

test.each([
  ['prod', { stage: 'prod' }],
  ['dev', { stage: 'dev' }],
  ['home', { stage: 'prod', preset: 'home' }],
])('the default budget in %s is three times the cost of 30 sensors and 2 consoles', (_, settings) => {
  const template = stackOf({ alarmEmail, publicUrl, certificateArn, ...settings }).template.toJSON();
  const expected = 3 * monthOf(template, { sensors: 30, screens: 2 });
  const amounts = resourcesOf(template, 'AWS::Budgets::Budget').map(
    ([, { Properties }]) => Properties.Budget.BudgetLimit,
  );
  expect(amounts).toEqual([{ Amount: expect.any(Number), Unit: 'USD' }]);
  expect(Math.abs(amounts[0].Amount / expected - 1), String(expected)).toBeLessThan(0.05);
});

test('presence changes add 14% to the cost', () => {
  expect(totalOf(sensorMonth()) / withoutChanges).toBeCloseTo(1.14, 1);
});

describe('the printed cost', () => {
  const lines = formatCosts(prod);
  const usdOf = (what: string) =>
    Number(
      lines
        .find((line) => line.endsWith(what))
        ?.trim()
        .split(' ')[0],
    );

  test('adds up to the cost at rest plus the cost per sensor and console', () => {
    const rest = costAtRest(prod).reduce((sum, { usd }) => sum + usd, 0);
    expect(usdOf('at rest')).toBeCloseTo(rest, 1);
    const { sensor, screen } = unitCosts(prod);
    expect(usdOf('for 30 sensors and 2 consoles')).toBeCloseTo(rest + 30 * sensor + 2 * screen, 1);
  });

  test('the cost of console requests includes the web ACL price only if there is a web ACL', () => {
    const dev = stackOf().template.toJSON();
    expect(unitCosts(dev).screen).toBeCloseTo(totalOf(screenMonth()), 5);
    expect(unitCosts(prod).screen).toBeGreaterThan(unitCosts(dev).screen);
  });
});
