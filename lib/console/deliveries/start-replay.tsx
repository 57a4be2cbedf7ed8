import { Checkbox, Group, NumberInput, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { ReplayCreation } from '#openapi';
import { restingStates } from '#shared/domain/delivery/states.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { endOfMinute } from '../ui/minute.ts';
import { Section } from '../ui/section.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import type { Filter } from './filter.ts';
import { useDeliveryTexts } from './texts.ts';

const DAY = 86_400_000;

type Draft = { since: number | null; until: number | null; states: ReplayCreation['states']; ratePerSecond: number };

type FieldsProps = { draft: Draft; change: (part: Partial<Draft>) => void };
const Fields = ({ draft, change }: FieldsProps) => {
  const texts = useDeliveryTexts();
  return (
    <>
      <Group align="end">
        <TimeInput label={texts.since} value={draft.since} onChange={(since) => change({ since })} />
        <TimeInput label={texts.until} value={draft.until} onChange={(until) => change({ until })} />
        <NumberInput label={texts.rate} min={1} max={100} {...fieldsOf(draft, change).number('ratePerSecond')} />
      </Group>
      <Checkbox.Group
        label={texts.replayStates}
        value={draft.states}
        onChange={(chosen) => change({ states: restingStates.filter((state) => chosen.includes(state)) })}
        error={draft.states.length === 0 ? texts.needsState : undefined}
      >
        <Group mt="xs">
          {restingStates.map((state) => (
            <Checkbox key={state} value={state} label={texts.states[state]} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
};

/** A form that resends the deliveries in a period, initially the period in the list filter. */
export const StartReplay = ({ webhookId, filter }: { webhookId: string; filter: Filter }) => {
  const texts = useDeliveryTexts();
  const [, go] = useLocation();
  const [draft, change] = useDraft<Draft>({
    since: filter.since ?? Date.now() - (filter.days ?? 1) * DAY,
    until: filter.until ?? Date.now(),
    states: ['failed', 'held'],
    ratePerSecond: 10,
  });
  const start = useWrite({
    send: (body: ReplayCreation) =>
      ok(api.POST('/webhooks/{webhookId}/replays', { params: { path: { webhookId } }, body })),
    done: texts.started,
    refresh: [['replays', webhookId]],
    onDone: ({ id }) => go(`/replays/${webhookId}/${id}`),
  });
  const submit = () => {
    const { since, until, ...rest } = draft;
    if (rest.states.length > 0) start.mutate({ ...rest, since: since ?? 0, until: endOfMinute(until ?? Date.now()) });
  };
  return (
    <Section title={texts.replay}>
      <Form action={texts.start} isPending={start.isPending} onSubmit={submit}>
        <Text>{texts.replayExplain}</Text>
        <Fields draft={draft} change={change} />
      </Form>
    </Section>
  );
};
