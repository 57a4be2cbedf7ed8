import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { useAcknowledge, useClose, useRecordOutcome, useReopen } from './acknowledge.ts';
import type { Row } from './board.ts';

/** Asks who is going. Only a display asks, because anyone could be standing in front of it. */
const NameDialog = ({ row, onClose }: { row: Row; onClose: () => void }) => {
  const { sensor, overview: texts } = useTexts();
  const write = useAcknowledge(row, onClose);
  return (
    <Dialog opened onClose={onClose} title={row.name}>
      <Form
        action={sensor.hits.acknowledge}
        isPending={write.isPending}
        onSubmit={(form) => write.mutate(fieldValues(form, 'name'))}
        isAlone
      >
        <TextInput name="name" label={texts.yourName} required maxLength={64} autoComplete="off" data-autofocus />
      </Form>
    </Dialog>
  );
};

/** The button to report that someone is on the way. */
export const GoButton = ({ row, isSmall = false }: { row: Row; isSmall?: boolean }) => {
  const { sensor, overview: texts } = useTexts();
  const { display } = useMe();
  const [isAsking, setAsking] = useState(false);
  const write = useAcknowledge(row);
  const isLoud = row.kind === 'open';
  return (
    <>
      <Button
        className={isLoud ? `go${isSmall ? ' small' : ''}` : ''}
        variant={isLoud ? 'white' : 'default'}
        onClick={() => (display ? setAsking(true) : write.mutate({}))}
        loading={write.isPending}
      >
        {isLoud ? sensor.hits.acknowledge : texts.look}
      </Button>
      {isAsking && <NameDialog row={row} onClose={() => setAsking(false)} />}
    </>
  );
};

/** The button to withdraw the user's acknowledgement. */
export const CannotGoButton = ({ row }: { row: Row }) => {
  const { overview: texts } = useTexts();
  const { id } = useMe();
  const write = useReopen(row, id);
  return (
    <button type="button" className="link" onClick={() => write.mutate()} disabled={write.isPending}>
      {texts.cannotGo}
    </button>
  );
};

const outcomes = ['TRUE_POSITIVE', 'FALSE_POSITIVE'] as const;
const OutcomeButtons = ({ row }: { row: Row }) => {
  const { sensor } = useTexts();
  const write = useRecordOutcome(row);
  return outcomes.map((outcome) => (
    <Button
      key={outcome}
      variant="default"
      onClick={() => write.mutate(outcome)}
      loading={write.isPending && write.variables === outcome}
      disabled={write.isPending}
    >
      {sensor.hits.outcomes[outcome]}
    </Button>
  ));
};

const closings = ['got_up', 'helped', 'false_alarm'] as const;
const ClosingButtons = ({ row, note }: CloseProps) => {
  const { overview: texts } = useTexts();
  const write = useClose(row);
  return closings.map((outcome) => (
    <Button
      key={outcome}
      variant="default"
      onClick={() => write.mutate({ outcome, ...(note !== '' && { note }) })}
      loading={write.isPending && write.variables.outcome === outcome}
      disabled={write.isPending}
    >
      {texts.closings[outcome]}
    </Button>
  ));
};

type CloseProps = { row: Row; note: string };
/** The buttons that close an alarm. For someone else's alarm, they appear only after a tap. */
export const CloseButtons = ({ row, note }: CloseProps) => {
  const { overview: texts } = useTexts();
  const { display } = useMe();
  const [isOpen, setOpen] = useState(row.kind === 'mine');
  // A display does not know who is closing the alarm.
  if (display) return null;
  if (!isOpen)
    return (
      <Button variant="subtle" onClick={() => setOpen(true)} aria-expanded={false}>
        {texts.closeAlarm}
      </Button>
    );
  return row.items[0].subject === 'fall' ? <ClosingButtons row={row} note={note} /> : <OutcomeButtons row={row} />;
};
