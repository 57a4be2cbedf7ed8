import { expect, test } from 'vitest';
import { stackOf } from '#test/fixtures/stack.ts';

const alarmEmail = 'night@example.org';
const budgets = (settings: Readonly<Record<string, unknown>>) =>
  Object.values(stackOf(settings).template.findResources('AWS::Budgets::Budget')).map(({ Properties }) => Properties);

test('a budget emails the alarm address about actual and forecast costs', () => {
  const [budget, ...others] = budgets({ stage: 'prod', alarmEmail, monthlyBudget: 500 });
  expect(others).toEqual([]);
  expect(budget).toEqual({
    Budget: {
      BudgetName: 'Test',
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 500, Unit: 'USD' },
    },
    NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
      Notification: {
        NotificationType,
        ComparisonOperator: 'GREATER_THAN',
        Threshold: 100,
        ThresholdType: 'PERCENTAGE',
      },
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: alarmEmail }],
    })),
  });
});

test('a stage without an address or with budget 0 has no budget', () => {
  expect([budgets({}), budgets({ alarmEmail, monthlyBudget: 0 })]).toEqual([[], []]);
});
