import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { bodyOf, faultOf, Problem } from '#lib/client/problem.ts';
import type { Link, Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useMe } from '../session/session.tsx';
import { CustomerChoice, useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';

/**
 * Returns the error to show next to the code field. The API does not report every problem with a code as a field error:
 * the code may be unknown, the sensor may belong to another customer, or a limit may be reached.
 */
const faultOfCode = (error: unknown): string | undefined =>
  faultOf(error, 'code') ?? (error instanceof Problem && error.faults.length === 0 ? error.message : undefined);

/** A newly linked sensor. */
export type LinkedSensor = Pick<Sensor, 'id' | 'manufacturer'> & { customerId: number | null };

const linkSensor = async (body: Link): Promise<LinkedSensor> => {
  const answer = await api.POST('/sensors/link', { body });
  bodyOf(answer);
  const id = answer.response.headers.get('X-Sensor-Id') ?? '';
  return { id, manufacturer: body.manufacturer, customerId: body.customerId ?? null };
};

/**
 * A form that uses a pairing code to link a sensor to the user's customer, or to a customer chosen by a system admin.
 */
export const LinkForm = ({ onDone }: { onDone: (sensor: LinkedSensor) => void }) => {
  const { sensors: texts, customer } = useTexts();
  const { isAdmin } = useMe();
  const chosen = useCustomerId();
  const [customerId, setCustomerId] = useState(chosen);
  const write = useWrite({
    send: linkSensor,
    done: texts.linked,
    refresh: [['sensors']],
    isQuiet: true,
    onDone,
  });
  const submit = (form: HTMLFormElement) => {
    const { manufacturer, code } = fieldValues(form, 'manufacturer', 'code');
    const target = isAdmin && customerId !== null ? { customerId } : {};
    write.mutate({ manufacturer: manufacturer === 'maker_b' ? 'maker_b' : 'maker_a', code, ...target });
  };
  return (
    <Form action={texts.link} isPending={write.isPending} onSubmit={submit}>
      {isAdmin && chosen === null && <CustomerChoice label={customer} value={customerId} onChange={setCustomerId} />}
      <NativeSelect
        name="manufacturer"
        label={texts.maker}
        data={Object.entries(texts.makers).map(([value, label]) => ({ value, label }))}
      />
      <TextInput
        name="code"
        label={texts.code}
        description={texts.codeHint}
        minLength={8}
        autoComplete="off"
        required
        error={faultOfCode(write.error)}
      />
    </Form>
  );
};
