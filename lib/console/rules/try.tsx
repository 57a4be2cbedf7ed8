import { Anchor, Button, List, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Rule, RuleTest } from '#openapi';
import { isResting } from '#shared/domain/delivery/states.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { callsOf, hrefOf } from '../deliveries/place.ts';
import { useTexts } from '../texts/texts.tsx';
import { useRecipientName } from './recipients.tsx';

type Test = RuleTest['deliveries'][number];
/** What became of one test, and how long it took. */
const Outcome = ({ test, customerId }: { test: Test; customerId: number }) => {
  const { rules: texts, deliveries } = useTexts();
  const nameOf = useRecipientName(customerId);
  const { id: deliveryId, webhookId, userId, by, step } = test;
  const place = { webhookId, customerId, deliveryId };
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: callsOf(place).get,
    retry: false,
    refetchInterval: ({ state: { data, error } }) => (error || (data && isResting(data.state)) ? false : 500),
  });
  const name = (): string => {
    if (webhookId !== null) return nameOf({ botId: 0, webhookId }) || webhookId;
    const isUser = userId !== null && by !== 'webhook';
    return (isUser && nameOf({ userId, by })) || deliveries.person;
  };
  const attempt = delivery.data?.attemptLog.at(-1);
  const became = delivery.data ? deliveries.states[delivery.data.state] : texts.resultHidden;
  const said = [step === 0 ? texts.immediately : texts.atStep(step), became, attempt && `${attempt.durationMs} ms`];
  return (
    <List.Item>
      <Anchor component={Link} href={hrefOf(place)}>
        {name()}
      </Anchor>
      <Text size="sm">{said.filter(Boolean).join(' · ')}</Text>
    </List.Item>
  );
};

/** Sends a marked test to all whom a rule tells, at all steps, and shows what arrived where. */
export const Try = ({ rule: { id: ruleId, customerId } }: { rule: Rule }) => {
  const { rules: texts } = useTexts();
  const trying = useWrite({
    send: () => ok(api.POST('/rules/{ruleId}/test', { params: { path: { ruleId } } })),
    refresh: [],
  });
  const tests = trying.data?.deliveries;
  return (
    <Paper component="section" aria-label={texts.test} withBorder p="md" mb="md" className="narrow">
      <Stack gap="sm" align="flex-start">
        <Button variant="default" onClick={() => trying.mutate()} loading={trying.isPending}>
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
