import { Anchor, Button, List, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Rule, RuleTest } from '#openapi';
import { isResting } from '#shared/domain/delivery/states.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { deliveryCalls } from '../deliveries/delivery-calls.ts';
import { deliveryHref } from '../deliveries/delivery-key.ts';
import { useDeliveryTexts } from '../deliveries/texts.ts';
import { useTexts } from '../texts/texts.tsx';
import { useRecipientName } from './recipients.tsx';

type Test = RuleTest['deliveries'][number];
/** A test result, and how long the test took. */
const Outcome = ({ test, customerId }: { test: Test; customerId: number }) => {
  const { rules: texts } = useTexts();
  const deliveries = useDeliveryTexts();
  const nameOf = useRecipientName(customerId);
  const { id: deliveryId, webhookId, userId, by, step } = test;
  const target = { webhookId, customerId, deliveryId };
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: deliveryCalls(target).get,
    retry: false,
    refetchInterval: ({ state: { data, error } }) => (error || (data && isResting(data.state)) ? false : 500),
  });
  const name = (): string => {
    if (webhookId !== null) return nameOf({ botId: 0, webhookId }) || webhookId;
    const isUser = userId !== null && by !== 'webhook';
    return (isUser && nameOf({ userId, by })) || deliveries.person;
  };
  const attempt = delivery.data?.attemptLog.at(-1);
  const result = delivery.data ? deliveries.states[delivery.data.state] : texts.resultHidden;
  const parts = [step === 0 ? texts.immediately : texts.atStep(step), result, attempt && `${attempt.durationMs} ms`];
  return (
    <List.Item>
      <Anchor component={Link} href={deliveryHref(target)}>
        {name()}
      </Anchor>
      <Text size="sm">{parts.filter(Boolean).join(' · ')}</Text>
    </List.Item>
  );
};

/** Sends a test to all recipients of a rule, in all steps, and shows the results. */
export const TestRule = ({ rule: { id: ruleId, customerId } }: { rule: Rule }) => {
  const { rules: texts } = useTexts();
  const testing = useWrite({
    send: () => ok(api.POST('/rules/{ruleId}/test', { params: { path: { ruleId } } })),
    refresh: [],
  });
  const tests = testing.data?.deliveries;
  return (
    <Paper component="section" aria-label={texts.test} withBorder p="md" mb="md" className="narrow">
      <Stack gap="sm" align="flex-start">
        <Button variant="default" onClick={() => testing.mutate()} loading={testing.isPending}>
          {texts.test}
        </Button>
        <Text size="sm">{texts.testHint}</Text>
        {tests?.length === 0 && <Text role="status">{texts.nobodyTested}</Text>}
        {tests && (
          <List>
            {tests.map((test) => (
              <Outcome key={test.id} test={test} customerId={customerId} />
            ))}
          </List>
        )}
      </Stack>
    </Paper>
  );
};
