import { Alert, Button, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import { api } from '#lib/console/api/client.ts';
import { useWrite } from '#lib/console/api/write.ts';
import type { Needs } from '#lib/console/session/permissions.ts';
import { useCan } from '#lib/console/session/session.tsx';
import { useTexts } from '#lib/console/texts/texts.tsx';
import { Loaded } from '#lib/console/ui/states.tsx';
import type { paths, Sensor } from '#openapi';
import { Input } from './field.tsx';
import { Firmwares } from './firmwares.tsx';
import { documentQuery, type Field, fieldsAt } from './schema.ts';

type ConfigPath = Extract<keyof paths, `/sensors/{sensorId}/${string}/config/${string}`>;

/** A sensor configuration: the API path, and the required permission. */
type Part = { name: string; path: ConfigPath; needs: Needs };

const part = (path: ConfigPath, needs: Needs): Part => ({ name: path.split('/').at(-1) ?? '', path, needs });

const parts: Readonly<Record<Sensor['manufacturer'], readonly Part[]>> = {
  maker_a: [
    part('/sensors/{sensorId}/maker_a/config/basic', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_a/config/dry-contact', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/firmware', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/telemetry', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/critical', 'system_admin'),
  ],
  maker_b: [
    part('/sensors/{sensorId}/maker_b/config/basic', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_b/config/fall', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_b/config/vital-data', 'manage_sensors'),
  ],
};

type ConfigValues = Readonly<Record<string, unknown>>;
type FormProps = { sensor: Sensor; part: Part; fields: readonly Field[]; stored: ConfigValues };

const Form = ({ sensor, part: { path }, fields, stored }: FormProps) => {
  const { sensor: texts, save } = useTexts();
  const [changed, setChanged] = useState<ConfigValues>({});
  const params = { path: { sensorId: sensor.id } };
  const write = useWrite({
    // The fields are known only at run time, so the body is untyped. The API validates each field.
    send: (body: ConfigValues) => ok(api.PUT(path, { params, body: body as never })),
    done: texts.config.saved,
    refresh: [['sensor', sensor.id]],
    onDone: () => setChanged({}),
  });
  const values = { ...stored, ...changed };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    write.mutate(Object.fromEntries(fields.map(({ name }) => [name, values[name]])));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack className="form">
        {fields.map((field) => (
          <Input
            key={field.name}
            field={field}
            firmware={sensor.firmwareVersion}
            value={values[field.name]}
            error={faultOf(write.error, field.name)}
            onChange={(value) => setChanged({ ...changed, [field.name]: value })}
          />
        ))}
        <Button type="submit" loading={write.isPending}>
          {save}
        </Button>
      </Stack>
    </form>
  );
};

const PartForm = ({ sensor, part }: { sensor: Sensor; part: Part }) => {
  const document = useQuery(documentQuery);
  const params = { path: { sensorId: sensor.id } };
  const stored = useQuery({
    queryKey: ['sensor', sensor.id, 'config', part.path],
    queryFn: async (): Promise<ConfigValues> => ok(api.GET(part.path, { params })),
  });
  return (
    <Loaded query={document}>
      {(contract) => (
        <Loaded query={stored}>
          {(values) => <Form sensor={sensor} part={part} fields={fieldsAt(contract, part.path)} stored={values} />}
        </Loaded>
      )}
    </Loaded>
  );
};

/** Forms for the configurations the user can see, generated from the OpenAPI document. */
export const Config = ({ sensor }: { sensor: Sensor }) => {
  const { config: texts } = useTexts().sensor;
  const can = useCan();
  const offered = parts[sensor.manufacturer].filter(({ needs }) => can(needs));
  const [chosen, choose] = useState('basic');
  const part = offered.find(({ name }) => name === chosen) ?? offered[0];
  if (!part) return <Alert>{texts.notHere}</Alert>;
  return (
    <Stack>
      <SegmentedControl
        className="parts"
        value={part.name}
        onChange={choose}
        data={offered.map(({ name }) => ({ value: name, label: texts.parts[name] ?? name }))}
      />
      <PartForm key={part.path} sensor={sensor} part={part} />
      {part.name === 'firmware' && <Firmwares sensor={sensor} />}
    </Stack>
  );
};
