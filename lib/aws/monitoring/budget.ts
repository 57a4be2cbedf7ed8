import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Stage } from '../settings/settings.ts';

/**
 * Creates a budget that emails the alarm address, if the stage has one. It covers the whole account, because AWS
 * attributes costs to a stack only after an administrator has activated the stack tag. The first two budgets in an
 * account cost nothing if they only send emails. AWS updates costs up to three times a day.
 * https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html
 */
export const createBudget = (scope: Construct, { alarmEmail, monthlyBudget }: Stage): void => {
  if (alarmEmail === '' || monthlyBudget === 0) return;
  new CfnBudget(scope, 'budget', {
    budget: {
      budgetName: Stack.of(scope).stackName,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold: 100,
        thresholdType: 'PERCENTAGE',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
    })),
  });
};
