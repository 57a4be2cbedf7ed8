import { Anchor, Badge, Button, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { FeedbackCreation, RuleHit, Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { useWrite } from '../api/write.ts';
import { deliveriesHref } from '../deliveries/filter.ts';
import { acknowledge } from '../overview/acknowledge.ts';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { type Column, List } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';

const outcomes = ['TRUE_POSITIVE', 'FALSE_POSITIVE', 'FALSE_NEGATIVE', 'TRUE_NEGATIVE'] as const;

const OutcomeForm = ({ hit, onDone }: { hit: RuleHit; onDone: () => void }) => {
  const { sensor, save } = useTexts();
  const texts = sensor.hits;
  const path = { sensorId: hit.sensorId };
  const write = useWrite({
    send: (body: FeedbackCreation) => ok(api.POST('/sensors/{sensorId}/feedback', { params: { path }, body })),
    done: texts.thanks,
    refresh: [['sensor', hit.sensorId, 'hits']],
    onDone,
  });
  const submit = (form: HTMLFormElement) => {
    const { classification, ...comments } = fieldValues(form, 'classification', 'reason', 'description');
    write.mutate({
      ...comments,
      classification: outcomes.find((known) => known === classification) ?? 'TRUE_POSITIVE',
      referenceDate: hit.createDate,
      ruleHitId: hit.id,
      eventId: hit.sensorEventId,
    });
  };
  return (
    <Form action={save} isPending={write.isPending} onSubmit={submit}>
      <NativeSelect
        name="classification"
        label={texts.outcome}
        data={outcomes.map((value) => ({ value, label: texts.outcomes[value] }))}
      />
      <TextInput name="reason" label={texts.reason} required maxLength={128} error={faultOf(write.error, 'reason')} />
      <Textarea name="description" label={texts.description} maxLength={256} autosize={false} rows={3} />
    </Form>
  );
};

const AcknowledgeButton = ({ hit }: { hit: RuleHit }) => {
  const { hits: texts } = useTexts().sensor;
  const write = useWrite({
    send: () => acknowledge(hit),
    done: texts.acknowledged,
    refresh: [['sensor', hit.sensorId, 'hits']],
  });
  return (
    <Button size="xs" onClick={() => write.mutate()} loading={write.isPending}>
      {texts.acknowledge}
    </Button>
  );
};

/** Who has acknowledged a hit and when, or a button to acknowledge it. */
const Acknowledgement = ({ hit }: { hit: RuleHit }) => {
  const dates = useDates();
  const { acknowledgement: by } = hit;
  if (!by) return <AcknowledgeButton hit={hit} />;
  return (
    <>
      <Name>{by.name}</Name>
      <Text size="sm">{dates.exact(by.date)}</Text>
    </>
  );
};

const useColumns = (onRecord: (hit: RuleHit) => void): Column<RuleHit>[] => {
  const { sensor, situations } = useTexts();
  const { hits: texts, events } = sensor;
  const dates = useDates();
  const can = useCan();
  return [
    { head: events.time, cell: ({ createDate }) => dates.exact(createDate) },
    {
      head: events.what,
      cell: ({ situation, ruleId }) => (
        <Anchor component={Link} href={`/rules/${ruleId}`} inherit>
          {situations[situation]}
        </Anchor>
      ),
    },
    {
      head: texts.notifications,
      cell: ({ allSend }) => (
        <Badge color={allSend ? 'green' : 'red'}>{allSend ? texts.allNotified : texts.notAllNotified}</Badge>
      ),
      isMinor: true,
    },
    { head: texts.acknowledgedBy, cell: (hit) => <Acknowledgement hit={hit} /> },
    {
      head: texts.details,
      cell: (hit) => (
        <Group gap="sm">
          <Anchor component={Link} href={`/sensors/${hit.sensorId}?part=events&event=${hit.sensorEventId}`} inherit>
            {texts.event}
          </Anchor>
          {can(managers) && (
            <Anchor component={Link} href={deliveriesHref(hit.sensorEventId, hit.createDate)} inherit>
              {texts.deliveries}
            </Anchor>
          )}
        </Group>
      ),
      isMinor: true,
    },
    {
      head: texts.outcome,
      cell: (hit) => (
        <>
          {hit.feedback && <Text size="sm">{texts.outcomes[hit.feedback.classification]}</Text>}
          <Button variant="default" size="xs" onClick={() => onRecord(hit)}>
            {texts.recordOutcome}
          </Button>
        </>
      ),
    },
  ];
};

/** Lists the rule hits for a sensor with their outcomes. */
export const Hits = ({ sensor: { id: sensorId, customerId } }: { sensor: Sensor }) => {
  const { hits: texts } = useTexts().sensor;
  const [page, setPage] = useState(0);
  const [answered, setAnswered] = useState<RuleHit | null>(null);
  const params = { path: { customerId: customerId ?? 0 }, query: { page, perPage: 30, sensorId } };
  const hits = useQuery({
    queryKey: ['sensor', sensorId, 'hits', page],
    queryFn: () => okPage(api.GET('/customers/{customerId}/rule-hits', { params })),
    placeholderData: keepPreviousData,
    // A sensor without a customer has no rules.
    enabled: customerId !== null,
    refetchInterval: 10_000,
  });
  const columns = useColumns(setAnswered);
  if (customerId === null) return <Text>{texts.empty}</Text>;
  return (
    <>
      <List
        label={texts.label}
        query={hits}
        columns={columns}
        rowKey={({ id }) => id}
        empty={texts.empty}
        onPage={setPage}
      />
      <Dialog opened={answered !== null} onClose={() => setAnswered(null)} title={texts.recordOutcome}>
        {answered && <OutcomeForm hit={answered} onDone={() => setAnswered(null)} />}
      </Dialog>
    </>
  );
};
